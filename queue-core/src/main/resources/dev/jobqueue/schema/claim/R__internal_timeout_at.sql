-- When the attempt of a running job is over its time; NULL for never.
CREATE OR REPLACE FUNCTION internal_timeout_at(j job, claimed_at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN coalesce(j.timeout_at, claimed_at + coalesce(j.timeout,
        (SELECT p.timeout FROM retry_policy p WHERE p.type = j.type)));
END
$$;

REVOKE ALL ON FUNCTION internal_timeout_at(job, timestamptz) FROM PUBLIC;
