-- RUNNING: more time, counted from now. Returns the new moment of the timeout.
CREATE OR REPLACE FUNCTION extend(id uuid, lease bigint, timeout interval) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    extended timestamptz;
BEGIN
    IF internal_check_span('timeout', extend.timeout, 1) IS NULL THEN
        PERFORM internal_invalid('timeout', NULL, 'must not be null');
    END IF;
    UPDATE job SET timeout_at = clock_timestamp() + extend.timeout
    WHERE job.id = extend.id AND job.lease = extend.lease RETURNING timeout_at INTO extended;
    IF NOT FOUND THEN
        PERFORM internal_refuse(extend.id, extend.lease);
    END IF;
    RETURN extended;
END
$$;

REVOKE ALL ON FUNCTION extend(uuid, bigint, interval) FROM PUBLIC;
