-- -> PENDING: a job of the schedule at once, paused or not, whatever still runs. When the next one is due stays as it
-- is.
CREATE OR REPLACE FUNCTION run_schedule_now(name text) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    clock constant timestamptz := clock_timestamp();
    job_id uuid;
BEGIN
    PERFORM FROM schedule AS s WHERE s.name = run_schedule_now.name FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM internal_no_schedule(run_schedule_now.name);
    END IF;
    job_id := (SELECT published FROM internal_fire(ARRAY[run_schedule_now.name], ARRAY[clock]) AS published);
    UPDATE schedule AS s SET last_run_at = clock, last_job_id = job_id, unmet_since = NULL, fired = s.fired + 1
    WHERE s.name = run_schedule_now.name;
    RETURN job_id;
END
$$;

REVOKE ALL ON FUNCTION run_schedule_now(text) FROM PUBLIC;
