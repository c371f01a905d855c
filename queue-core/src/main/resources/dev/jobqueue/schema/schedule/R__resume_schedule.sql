-- A paused schedule goes on, counted from now: what was due meanwhile is not made up for, because pausing was meant.
CREATE OR REPLACE FUNCTION resume_schedule(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM FROM schedule AS s WHERE s.name = resume_schedule.name FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM internal_no_schedule(resume_schedule.name);
    END IF;
    UPDATE schedule AS s SET paused_at = NULL, next_run_at = NULL, unmet_since = NULL,
        counted_from = clock_timestamp()
    WHERE s.name = resume_schedule.name AND s.paused_at IS NOT NULL;
    IF FOUND THEN
        PERFORM pg_notify(current_schema(), 'schedule');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION resume_schedule(text) FROM PUBLIC;
