-- How long to wait after an attempt of a type threw, in seconds. The power is bounded: a late attempt must not
-- overflow.
CREATE OR REPLACE FUNCTION internal_delay(type text, attempt int) RETURNS float8
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    p retry_policy;
BEGIN
    SELECT * INTO p FROM retry_policy r WHERE r.type = internal_delay.type;
    RETURN (1 - coalesce(p.jitter, 0.1) * random()) * least(
        extract(epoch FROM coalesce(p.base, '1 minute')) * power(coalesce(p.factor, 2), least(attempt - 1, 100)),
        extract(epoch FROM coalesce(p.maximum, '1 hour')));
END
$$;

-- How many attempts a job has in all.
CREATE OR REPLACE FUNCTION internal_max_attempts(type text, given int) RETURNS int
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT coalesce(given, (SELECT p.max_attempts FROM retry_policy p WHERE p.type = internal_max_attempts.type), 3)
$$;

REVOKE ALL ON FUNCTION internal_delay(text, int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_max_attempts(text, int) FROM PUBLIC;
