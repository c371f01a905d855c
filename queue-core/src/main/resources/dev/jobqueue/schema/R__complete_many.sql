-- RUNNING -> COMPLETED: many at once. Returns the ids that were refused, because they do not run under that lease.
-- Rows are found by the list of ids, which costs half of looking up pair by pair; both the index scan and the pairs are in
-- id order, so whichever of them leads a join, that is the order of the locks.
CREATE OR REPLACE FUNCTION complete_many(ids uuid[], leases bigint[], results text[] DEFAULT NULL) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    outcomes constant jsonb[] := internal_to_jsonb('result', results);
    kept boolean;
    exceptions text[];
    done_ids uuid[];
    done_leases bigint[];
    emptied uuid[];
BEGIN
    PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    IF results IS NOT NULL THEN
        PERFORM internal_check_pairs(ids, 'results', cardinality(results));
    END IF;
    SELECT * INTO kept, exceptions FROM internal_retention();

    IF NOT kept AND exceptions = '{}' AND leases[1] = ALL (leases) THEN
        -- One claim's worth, and nothing to keep.
        WITH gone AS (
            DELETE FROM job WHERE id = ANY (ids) AND lease = leases[1] RETURNING id, steps > 0 OR events > 0 AS has_more)
        SELECT array_agg(id), array_agg(id) FILTER (WHERE has_more) INTO done_ids, emptied FROM gone;
        done_leases := leases[1:cardinality(done_ids)];
    ELSE
        WITH gone AS (
            DELETE FROM job USING (
                SELECT * FROM unnest(ids, leases, outcomes) AS g (id, lease, result) ORDER BY g.id) AS given
            WHERE job.id = ANY (ids) AND job.id = given.id AND job.lease = given.lease
            RETURNING job.id, job.lease, queue, type, priority, run_at, payload, headers, attempt, max_attempts, timeout,
                unique_key, created_at, worker_id, claimed_at, errors, steps, events, given.result,
                (queue = ANY (exceptions)) <> kept AS keep
        ), history AS (
            INSERT INTO job_history (id, queue, type, state, priority, run_at, payload, headers, attempt, max_attempts,
                timeout, unique_key, created_at, worker_id, claimed_at, errors, steps, events, result, finished_at)
            SELECT id, queue, type, 'COMPLETED', priority, run_at, payload, headers, attempt, max_attempts,
                timeout, unique_key, created_at, worker_id, claimed_at, errors, steps, events, result, clock
            FROM gone WHERE keep
        )
        SELECT array_agg(id), array_agg(lease), array_agg(id) FILTER (WHERE NOT keep AND (steps > 0 OR events > 0))
        INTO done_ids, done_leases, emptied FROM gone;
    END IF;

    PERFORM internal_forget(emptied);
    IF cardinality(ids) > coalesce(cardinality(done_ids), 0) THEN
        RETURN QUERY SELECT g.id FROM unnest(ids, leases) AS g (id, lease)
        WHERE ((g.id, g.lease) IN (SELECT * FROM unnest(done_ids, done_leases))) IS NOT TRUE;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION complete_many(uuid[], bigint[], text[]) FROM PUBLIC;
