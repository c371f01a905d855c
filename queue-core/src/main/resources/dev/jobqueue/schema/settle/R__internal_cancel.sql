-- SCHEDULED, WAITING, PENDING, RUNNING -> CANCELLED: for callers that hold the rows' locks and have deleted
-- their entries in ready, scheduled and waiting. The lease comes by job, NULL for one that does not run.
CREATE OR REPLACE FUNCTION internal_cancel(ids uuid[], numbers bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    kept boolean;
    exceptions text[];
    left_behind record;
BEGIN
    IF ids = '{}' IS NOT FALSE THEN
        RETURN;
    END IF;
    SELECT * INTO kept, exceptions FROM internal_retention();
    WITH gone AS (
        DELETE FROM job USING unnest(ids, numbers) AS g (id, number)
            LEFT JOIN LATERAL (SELECT * FROM lease l WHERE l.number = g.number OFFSET 0) AS l ON true
        WHERE job.id = ANY (internal_cancel.ids) AND job.id = g.id
        RETURNING job.*, g.number, l.worker_id, l.claimed_at, (job.queue = ANY (exceptions)) <> kept AS keep
    ), history AS (
        INSERT INTO job_history (id, queue, type, state, priority, run_at, payload, headers, attempt, max_attempts,
            timeout, unique_key, created_at, worker_id, claimed_at, errors, steps, events, finished_at, wait,
            duration, limits, limit_keys, flow, flow_step)
        SELECT id, queue, type, 'CANCELLED', priority, run_at, payload, headers, attempt + (number IS NOT NULL)::int,
            max_attempts, timeout, unique_key, created_at, worker_id, claimed_at, errors, steps, events,
            clock, claimed_at - greatest(run_at, created_at), clock - claimed_at, limits, limit_keys, flow, flow_step
        FROM gone WHERE keep
    )
    SELECT array_agg(id) FILTER (WHERE NOT keep AND (steps > 0 OR events > 0)) AS emptied,
        array_agg(id) AS ids, array_agg(type) AS types, array_agg(unique_key) AS unique_keys,
        array_agg((id, queue, type, limits, limit_keys, gates, line, seq)::limited)
            FILTER (WHERE line IS NOT NULL) AS lined,
        array_agg((flow, flow_step, NULL)::linked) FILTER (WHERE flow IS NOT NULL) AS linked
    INTO left_behind FROM gone;
    PERFORM internal_forget(left_behind.emptied);
    PERFORM internal_free_keys(left_behind.ids, left_behind.types, left_behind.unique_keys);
    IF left_behind.lined IS NOT NULL THEN
        PERFORM internal_leave(left_behind.lined, NULL);
    END IF;
    IF left_behind.linked IS NOT NULL THEN
        PERFORM internal_tick(left_behind.linked, 'CANCELLED');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_cancel(uuid[], bigint[]) FROM PUBLIC;
