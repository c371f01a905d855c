-- How often and when jobs of a type are tried again. Holds for jobs that are claimed for the first time (max_attempts,
-- timeout) or fail (the delay) from now on. Returns as configure does.
CREATE OR REPLACE FUNCTION set_retry_policy(
    type text, max_attempts int DEFAULT 3, base interval DEFAULT '1 minute', factor float8 DEFAULT 2,
    maximum interval DEFAULT '1 hour', jitter float8 DEFAULT 0.1, timeout interval DEFAULT NULL, owner text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_variable
DECLARE
    held retry_policy;
    is_same boolean;
BEGIN
    PERFORM internal_check_name('type', type);
    PERFORM internal_check_span('timeout', timeout, 1);
    IF (internal_check_span('base', base, 0) >= 0) IS NOT TRUE THEN
        PERFORM internal_invalid('base', base::text, 'must not be null');
    ELSIF (internal_check_span('maximum', maximum, 0) >= 0 AND maximum >= base) IS NOT TRUE THEN
        PERFORM internal_invalid('maximum', maximum::text, 'must be at least base');
    ELSIF (max_attempts >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max_attempts', max_attempts::text, 'must be at least 1');
    ELSIF (factor BETWEEN 1 AND 100) IS NOT TRUE THEN
        PERFORM internal_invalid('factor', factor::text, 'must be between 1 and 100');
    ELSIF (jitter BETWEEN 0 AND 1) IS NOT TRUE THEN
        PERFORM internal_invalid('jitter', jitter::text, 'must be between 0 and 1');
    END IF;
    SELECT * INTO held FROM retry_policy AS p WHERE p.type = set_retry_policy.type FOR UPDATE;
    is_same := (held.max_attempts, held.base, held.factor, held.maximum, held.jitter, held.timeout)
        IS NOT DISTINCT FROM (max_attempts, base, factor, maximum, jitter, timeout);
    INSERT INTO retry_policy VALUES (type, max_attempts, base, factor, maximum, jitter, timeout,
        CASE WHEN is_same THEN coalesce(held.owner, owner) ELSE owner END)
    ON CONFLICT ON CONSTRAINT retry_policy_pkey DO UPDATE SET max_attempts = excluded.max_attempts,
        base = excluded.base, factor = excluded.factor, maximum = excluded.maximum, jitter = excluded.jitter,
        timeout = excluded.timeout, owner = excluded.owner;
    RETURN CASE WHEN NOT is_same AND held.owner <> owner THEN held.owner END;
END
$$;

REVOKE ALL ON FUNCTION set_retry_policy(text, int, interval, float8, interval, float8, interval, text) FROM PUBLIC;
