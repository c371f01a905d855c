-- RUNNING: jobs that this worker took as they were published (publish_many), now that they are committed. Returns what
-- claim does, lane NULL because none has limits; nothing of those that were rolled back, or taken from the worker
-- meanwhile. Jobs of a queue that is paused go back to PENDING.
CREATE OR REPLACE FUNCTION confirm(worker_id uuid, leases bigint[])
RETURNS TABLE (
    id uuid, queue text, type text, payload json, attempt int, max_attempts int, lease bigint, headers jsonb,
    steps jsonb, percent smallint, stage text, created_at timestamptz, run_at timestamptz, timeout_at timestamptz,
    timeout interval, claimed_at timestamptz, limited boolean, flow uuid, flow_step text, lane bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    declared_dead timestamptz := (SELECT w.dead_at FROM worker w WHERE w.id = confirm.worker_id);
    numbers bigint[];
    paused bigint[];
BEGIN
    IF declared_dead IS NOT NULL THEN
        PERFORM internal_refuse_dead(confirm.worker_id, declared_dead);
    END IF;
    -- Locked, so that a rescue does not take them while they begin. What somebody else holds locked goes back with a
    -- beat: a claimer that waits for one job would claim no other.
    SELECT array_agg(l.number) FILTER (WHERE NOT l.is_paused), array_agg(l.number) FILTER (WHERE l.is_paused)
    INTO numbers, paused FROM (
        SELECT l.number, EXISTS (
            SELECT FROM queue q WHERE q.name = l.queue AND q.paused_at IS NOT NULL) AS is_paused
        FROM lease l WHERE l.number = ANY (leases) AND l.worker_id = confirm.worker_id AND l.is_direct
        FOR UPDATE OF l SKIP LOCKED) AS l;
    IF paused IS NOT NULL THEN
        PERFORM internal_release(paused);
    END IF;
    RETURN QUERY
    WITH held AS MATERIALIZED (
        SELECT l.number, l.queue, j.id, j.type, j.payload, j.attempt, j.version, j.headers, j.steps, j.percent,
            j.stage, j.created_at, j.run_at, j.flow, j.flow_step,
            coalesce(j.max_attempts, p.max_attempts, 3) AS max_attempts,
            coalesce(j.timeout, p.timeout) AS timeout
        -- OFFSET 0 keeps the planner from reading all leases or jobs, which may look like few to it.
        FROM unnest(numbers) AS n CROSS JOIN LATERAL (SELECT * FROM lease l WHERE l.number = n OFFSET 0) AS l
            CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
            -- A beat or a rescue may have put some of them back.
            CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
            LEFT JOIN retry_policy p ON p.type = j.type
    ), begun AS (
        UPDATE lease l SET is_direct = false, claimed_at = clock, timeout_at = clock + b.timeout
        FROM (SELECT h.number, min(h.timeout) AS timeout FROM held h GROUP BY h.number) AS b
        WHERE l.number = ANY (numbers) AND l.number = b.number
    )
    SELECT h.id, h.queue, h.type, h.payload, h.attempt + 1, h.max_attempts, (h.number << 12) | (h.version & 4095),
        coalesce(h.headers, '{}'), CASE WHEN h.steps > 0 THEN internal_steps(h.id) END, h.percent, h.stage,
        h.created_at, h.run_at, clock + h.timeout, h.timeout, clock, false, h.flow,
        CASE WHEN h.flow_step IS NOT NULL THEN internal_step_name(h.flow, h.flow_step) END,
        NULL::bigint
    FROM held h;
END
$$;

-- RUNNING -> PENDING: what is left of leases that no worker has begun, but for jobs that somebody holds locked: these
-- are left to a beat of their worker, or to a rescue.
CREATE OR REPLACE FUNCTION internal_release(numbers bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
DECLARE
    free record;
BEGIN
    SELECT array_agg(f.id) AS ids, array_agg(f.lease) AS leases INTO free FROM (
        SELECT j.id, (l.number << 12) | (j.version & 4095) AS lease
        FROM unnest(numbers) AS n CROSS JOIN LATERAL (SELECT * FROM lease l WHERE l.number = n OFFSET 0) AS l
            CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
            CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
        FOR UPDATE OF j SKIP LOCKED) AS f;
    IF free.ids IS NOT NULL THEN
        PERFORM release(free.ids, free.leases);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION confirm(uuid, bigint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_release(bigint[]) FROM PUBLIC;
