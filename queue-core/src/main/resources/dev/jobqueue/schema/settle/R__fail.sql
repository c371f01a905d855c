-- RUNNING -> SCHEDULED with backoff, or DEAD when no attempt is left or none is wanted (CANCELLED where it was asked).
CREATE OR REPLACE FUNCTION fail(id uuid, lease bigint, error text, retry boolean DEFAULT true) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    outcome text := (SELECT f.state FROM fail_many(ARRAY[id], ARRAY[lease], ARRAY[error], ARRAY[retry]) AS f);
BEGIN
    IF outcome IS NULL THEN
        PERFORM internal_refuse(id, lease);
    END IF;
    RETURN outcome;
END
$$;

REVOKE ALL ON FUNCTION fail(uuid, bigint, text, boolean) FROM PUBLIC;
