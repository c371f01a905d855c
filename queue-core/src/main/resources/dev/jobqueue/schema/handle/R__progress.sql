-- RUNNING: how far it came, visible at once; each report is kept as an event.
CREATE OR REPLACE FUNCTION progress(id uuid, lease bigint, percent int, stage text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    event_number int;
BEGIN
    IF (progress.percent BETWEEN 0 AND 100) IS NOT TRUE THEN
        PERFORM internal_invalid('percent', progress.percent::text, 'must be between 0 and 100');
    ELSIF length(progress.stage) > 200 THEN
        PERFORM internal_invalid('stage', progress.stage, 'must have at most 200 characters');
    END IF;
    UPDATE job SET percent = progress.percent, stage = coalesce(progress.stage, job.stage),
        events = coalesce(events, 0) + 1
    WHERE job.id = progress.id AND internal_runs(job.id, job.version, progress.lease)
    RETURNING events INTO event_number;
    IF NOT FOUND THEN
        PERFORM internal_refuse(progress.id, progress.lease);
    END IF;
    INSERT INTO job_event (job_id, number, at, kind, percent, stage)
    VALUES (progress.id, event_number, clock_timestamp(), 'PROGRESS', progress.percent, progress.stage);
END
$$;

REVOKE ALL ON FUNCTION progress(uuid, bigint, int, text) FROM PUBLIC;
