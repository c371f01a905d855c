-- SCHEDULED, WAITING, PENDING -> CANCELLED at once; RUNNING: asks the worker, by heartbeat and NOTIFY. Returns the
-- state then. A job that has ended keeps its state, which is returned: who cancels too late gets no error in their
-- transaction.
CREATE OR REPLACE FUNCTION cancel(id uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    found_job job;
    found_state text;
BEGIN
    SELECT * INTO found_job FROM job WHERE job.id = cancel.id FOR UPDATE;
    IF NOT FOUND THEN
        SELECT 'DEAD' INTO found_state FROM dead_letter d WHERE d.id = cancel.id;
        IF NOT FOUND THEN
            SELECT h.state INTO found_state FROM job_history h WHERE h.id = cancel.id LIMIT 1;
        END IF;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'id is %: no job has it', coalesce(quote_literal(cancel.id), 'null')
                USING ERRCODE = 'JQ404', HINT = 'It was never published, or it ended so long ago that it was pruned.';
        END IF;
        RETURN found_state;
    ELSIF internal_withdraw(found_job) IS NULL THEN
        UPDATE job SET cancel_requested_at = clock_timestamp()
        WHERE job.id = cancel.id AND cancel_requested_at IS NULL;
        PERFORM pg_notify(current_schema(), 'cancel:' || cancel.id);
        RETURN 'RUNNING';
    END IF;
    PERFORM internal_cancel(ARRAY[cancel.id], NULL);
    RETURN 'CANCELLED';
END
$$;

-- RUNNING -> CANCELLED: the worker has stopped it.
CREATE OR REPLACE FUNCTION cancel(id uuid, lease bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM internal_lock(ARRAY[cancel.id], ARRAY[cancel.lease])) THEN
        PERFORM internal_refuse(cancel.id, cancel.lease);
    END IF;
    PERFORM internal_cancel(ARRAY[cancel.id], ARRAY[cancel.lease >> 12]);
    PERFORM internal_tidy(ARRAY[cancel.lease >> 12]);
    RETURN 'CANCELLED';
END
$$;

REVOKE ALL ON FUNCTION cancel(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION cancel(uuid, bigint) FROM PUBLIC;
