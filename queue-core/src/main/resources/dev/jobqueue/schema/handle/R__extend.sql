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
    WHERE job.id = extend.id AND internal_runs(job.id, job.version, extend.lease) RETURNING timeout_at INTO extended;
    IF NOT FOUND THEN
        PERFORM internal_refuse(extend.id, extend.lease);
    END IF;
    -- One that comes later than before is left to rescue, which looks at the job.
    UPDATE lease SET timeout_at = extended
    WHERE number = extend.lease >> 12 AND (timeout_at > extended OR timeout_at IS NULL);
    RETURN extended;
END
$$;

REVOKE ALL ON FUNCTION extend(uuid, bigint, interval) FROM PUBLIC;
