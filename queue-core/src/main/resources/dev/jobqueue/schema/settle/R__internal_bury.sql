-- RUNNING -> DEAD: for callers that hold the rows' locks. Lease, last error and reason come by job.
-- An id may be in dead_letter already, if its publisher has used it twice: then the errors are appended.
CREATE OR REPLACE FUNCTION internal_bury(ids uuid[], numbers bigint[], errors text[], reasons text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    lined limited[];
    linked linked[];
BEGIN
    IF ids = '{}' IS NOT FALSE THEN
        RETURN;
    END IF;
    WITH gone AS (
        DELETE FROM job
        USING unnest(ids, numbers, internal_bury.errors, reasons) AS g (id, number, error, reason)
            LEFT JOIN LATERAL (SELECT * FROM lease l WHERE l.number = g.number OFFSET 0) AS l ON true
        WHERE job.id = ANY (internal_bury.ids) AND job.id = g.id
        RETURNING job.*, g.error, g.reason, l.worker_id, l.claimed_at, clock_timestamp() AS died_at
    ), buried AS (
    INSERT INTO dead_letter AS d (id, queue, type, priority, run_at, payload, headers, attempt, max_attempts, timeout,
        unique_key, created_at, worker_id, claimed_at, errors, steps, events, reason, died_at, fingerprint, limits,
        limit_keys, gates, line, seq, flow, flow_step)
    SELECT id, queue, type, priority, run_at, payload, headers, attempt + 1, internal_max_attempts(type, max_attempts),
        coalesce(timeout, (SELECT p.timeout FROM retry_policy p WHERE p.type = gone.type)), unique_key, created_at,
        worker_id, claimed_at,
        coalesce(errors, '[]') || jsonb_build_object('attempt', attempt + 1, 'at', died_at, 'error', error),
        steps, events, reason, died_at, internal_fingerprint(queue, type, error), limits, limit_keys, gates,
        line, seq, flow, flow_step
    FROM gone
    ON CONFLICT (id) DO UPDATE SET errors = d.errors || excluded.errors, payload = excluded.payload,
        headers = excluded.headers, attempt = excluded.attempt, reason = excluded.reason, died_at = excluded.died_at,
        fingerprint = excluded.fingerprint
    )
    SELECT array_agg((id, queue, type, limits, limit_keys, gates, line, seq)::limited) FILTER (WHERE line IS NOT NULL),
        array_agg((flow, flow_step, NULL)::linked) FILTER (WHERE flow IS NOT NULL)
    INTO lined, linked FROM gone;
    IF lined IS NOT NULL THEN
        PERFORM internal_leave(lined, 'BLOCK');
    END IF;
    IF linked IS NOT NULL THEN
        PERFORM internal_tick(linked, 'DEAD');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_bury(uuid[], bigint[], text[], text[]) FROM PUBLIC;
