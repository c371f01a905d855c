-- RUNNING: a line the job wrote, kept as an event.
CREATE OR REPLACE FUNCTION log(id uuid, lease bigint, level text, message text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    event_number int;
BEGIN
    IF (log.level IN ('TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR')) IS NOT TRUE THEN
        PERFORM internal_invalid('level', log.level, 'must be TRACE, DEBUG, INFO, WARN or ERROR');
    ELSIF log.message IS NULL THEN
        PERFORM internal_invalid('message', NULL, 'must not be null');
    END IF;
    UPDATE job SET events = coalesce(events, 0) + 1
    WHERE job.id = log.id AND internal_runs(job.id, job.version, log.lease) RETURNING events INTO event_number;
    IF NOT FOUND THEN
        PERFORM internal_refuse(log.id, log.lease);
    END IF;
    INSERT INTO job_event (job_id, number, at, kind, level, message)
    VALUES (log.id, event_number, clock_timestamp(), 'LOG', log.level, left(log.message, 20000));
END
$$;

REVOKE ALL ON FUNCTION log(uuid, bigint, text, text) FROM PUBLIC;
