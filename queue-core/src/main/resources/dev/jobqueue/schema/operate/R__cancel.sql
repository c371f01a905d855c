-- SCHEDULED, WAITING, PENDING -> CANCELLED at once; RUNNING: asks the worker, by heartbeat and NOTIFY. Returns the
-- state then; WAITING for a step of a flow that has no job yet, which resolve cancels. A job that has ended keeps its
-- state, which is returned: who cancels too late gets no error in their transaction.
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
            found_state := internal_cancel_step(cancel.id);
        END IF;
        IF found_state IS NULL THEN
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
    IF found_job.flow IS NOT NULL THEN
        PERFORM pg_notify(current_schema(), 'flow');
    END IF;
    RETURN 'CANCELLED';
END
$$;

-- A step of a flow that has no job, because it is blocked or waits for something outside. Returns its state; NULL if
-- there is none.
CREATE OR REPLACE FUNCTION internal_cancel_step(id uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    known flow_step;
BEGIN
    SELECT * INTO known FROM flow_step s WHERE s.job_id = internal_cancel_step.id;
    IF known.state IN ('BLOCKED', 'FREE') THEN
        INSERT INTO flow_tick (flow, what, steps) VALUES (known.flow, 'STOP', ARRAY[known.step]);
        PERFORM pg_notify(current_schema(), 'flow');
    END IF;
    RETURN CASE known.state WHEN 'BLOCKED' THEN 'WAITING' WHEN 'FREE' THEN 'WAITING' WHEN 'DONE' THEN 'COMPLETED'
        ELSE known.state END;
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
REVOKE ALL ON FUNCTION internal_cancel_step(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION cancel(uuid, bigint) FROM PUBLIC;
