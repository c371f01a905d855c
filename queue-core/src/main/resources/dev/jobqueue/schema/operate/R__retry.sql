-- SCHEDULED -> PENDING: now, instead of at its time.
CREATE OR REPLACE FUNCTION retry(id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    found_job job;
    found_state text;
BEGIN
    SELECT * INTO found_job FROM job WHERE job.id = retry.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM internal_refuse(retry.id);
    END IF;
    found_state := coalesce(internal_withdraw(found_job), 'RUNNING');
    IF found_state <> 'SCHEDULED' THEN
        PERFORM internal_invalid('id', retry.id::text,
            format('must be of a job that is SCHEDULED, and this one is %s', found_state));
    END IF;
    UPDATE job SET run_at = clock_timestamp() WHERE job.id = retry.id;
    PERFORM internal_put(ARRAY[retry.id], 'PENDING');
END
$$;

REVOKE ALL ON FUNCTION retry(uuid) FROM PUBLIC;
