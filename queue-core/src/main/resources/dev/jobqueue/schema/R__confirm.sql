-- RUNNING: jobs that this worker took as they were published (publish_many), now that they are committed. Returns what
-- claim does, under new leases; nothing of those that were rolled back, or taken from the worker meanwhile. Jobs of a
-- queue that is paused go back to PENDING.
CREATE OR REPLACE FUNCTION confirm(worker_id uuid, leases bigint[])
RETURNS TABLE (
    id uuid, queue text, type text, payload json, attempt int, max_attempts int, lease bigint, headers jsonb,
    steps jsonb, percent smallint, stage text, created_at timestamptz, run_at timestamptz, timeout_at timestamptz,
    timeout interval, claimed_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    declared_dead timestamptz := (SELECT w.dead_at FROM worker w WHERE w.id = confirm.worker_id);
    taken record;
BEGIN
    IF declared_dead IS NOT NULL THEN
        PERFORM internal_refuse_dead(confirm.worker_id, declared_dead);
    END IF;
    FOR taken IN
        DELETE FROM lease l WHERE l.number = ANY (leases) AND l.worker_id = confirm.worker_id AND l.is_direct
        RETURNING l.queue, l.ids
    LOOP
        IF EXISTS (SELECT FROM queue q WHERE q.name = taken.queue AND q.paused_at IS NOT NULL) THEN
            PERFORM internal_put(taken.ids, 'PENDING');
        ELSE
            RETURN QUERY SELECT * FROM internal_lease(confirm.worker_id, taken.queue, taken.ids);
        END IF;
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION confirm(uuid, bigint[]) FROM PUBLIC;
