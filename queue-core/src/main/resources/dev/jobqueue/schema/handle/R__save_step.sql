-- RUNNING: a step is done and need not be repeated; the next claim hands its result out. Saved again, the latest wins.
CREATE OR REPLACE FUNCTION save_step(id uuid, lease bigint, step text, result jsonb DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    PERFORM internal_check_name('step', save_step.step);
    -- As jsonb it may be a little shorter.
    IF pg_column_size(save_step.result) > 4194304 THEN
        PERFORM internal_check_results(ARRAY[save_step.result::text]);
    END IF;
    UPDATE job SET steps = coalesce(steps, 0) + (NOT EXISTS (
        SELECT FROM job_step s WHERE s.job_id = save_step.id AND s.step = save_step.step))::int
    WHERE job.id = save_step.id AND internal_runs(job.id, job.version, save_step.lease);
    IF NOT FOUND THEN
        PERFORM internal_refuse(save_step.id, save_step.lease);
    END IF;
    INSERT INTO job_step (job_id, step, result, finished_at)
    VALUES (save_step.id, save_step.step, save_step.result, clock_timestamp())
    ON CONFLICT (job_id, step) DO UPDATE SET result = excluded.result, finished_at = excluded.finished_at;
END
$$;

REVOKE ALL ON FUNCTION save_step(uuid, bigint, text, jsonb) FROM PUBLIC;
