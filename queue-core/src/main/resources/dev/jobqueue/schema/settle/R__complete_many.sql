-- RUNNING -> COMPLETED: many at once. Returns the ids that were refused, because they do not run under that lease.
CREATE OR REPLACE FUNCTION complete_many(ids uuid[], leases bigint[], results text[] DEFAULT NULL) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    outcomes jsonb[];
    kept boolean;
    exceptions text[];
    done_ids uuid[];
    done_leases bigint[];
    emptied uuid[];
    lined limited[];
    linked linked[];
BEGIN
    IF cardinality(leases) IS DISTINCT FROM cardinality(ids) THEN
        PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    END IF;
    IF results IS NOT NULL THEN
        -- One look at the whole: most batches are smaller than the longest result may be.
        IF pg_column_size(results) > 8388608 THEN
            PERFORM internal_check_results(results);
        END IF;
        outcomes := internal_to_jsonb('result', results);
        PERFORM internal_check_pairs(ids, 'results', cardinality(results));
    END IF;
    SELECT * INTO kept, exceptions FROM internal_retention();

    WITH held AS MATERIALIZED (
        SELECT l.number, l.worker_id, l.claimed_at, cardinality(l.ids) AS together, unnest(l.ids) AS id,
            unnest(l.versions) AS version
        -- OFFSET 0 keeps the planner from reading all leases, which look like few to it.
        FROM (SELECT DISTINCT g >> 12 AS number FROM unnest(leases) AS g) AS given CROSS JOIN LATERAL (
            SELECT * FROM lease l WHERE l.number = given.number OFFSET 0) AS l
    ), gone AS (
        DELETE FROM job USING (
            SELECT g.lease, g.result, held.* FROM unnest(ids, leases, outcomes) AS g (id, lease, result)
                JOIN held ON held.number = g.lease >> 12 AND held.id = g.id
                    AND (held.version & 4095) = (g.lease & 4095)
            ORDER BY g.id) AS given
        -- By the list of ids, which costs half of looking up pair by pair. Both the index scan and the pairs are in id
        -- order, so whichever of them leads the join, that is the order of the locks.
        WHERE job.id = ANY (ids) AND job.id = given.id AND job.version = given.version
        RETURNING job.id, given.lease, job.queue, type, priority, run_at, payload, headers, attempt, max_attempts,
            timeout, unique_key, created_at, worker_id, claimed_at, errors, steps, events, result,
            (job.queue = ANY (exceptions)) <> kept AS keep, number, together, limits, limit_keys, gates, line, seq,
            flow, flow_step
    ), history AS (
        INSERT INTO job_history (id, queue, type, state, priority, run_at, payload, headers, attempt, max_attempts,
            timeout, unique_key, created_at, worker_id, claimed_at, errors, steps, events, result, finished_at,
            wait, duration, limits, limit_keys, flow, flow_step)
        SELECT id, queue, type, 'COMPLETED', priority, run_at, payload, headers, attempt + 1, max_attempts,
            timeout, unique_key, created_at, worker_id, claimed_at, errors, steps, events, result, clock,
            claimed_at - greatest(run_at, created_at), clock - claimed_at, limits, limit_keys, flow, flow_step
        FROM gone WHERE keep
    ), ended AS (
        -- A lease whose jobs are settled in several calls is left to the next beat (internal_tidy).
        DELETE FROM lease WHERE number = ANY (ARRAY(
            SELECT number FROM gone GROUP BY number, together HAVING count(*) = together))
    )
    SELECT array_agg(id), array_agg(lease), array_agg(id) FILTER (WHERE NOT keep AND (steps > 0 OR events > 0)),
        array_agg((id, queue, type, limits, limit_keys, gates, line, seq)::limited)
            FILTER (WHERE line IS NOT NULL),
        array_agg((flow, flow_step, result)::linked) FILTER (WHERE flow IS NOT NULL)
    INTO done_ids, done_leases, emptied, lined, linked FROM gone;
    IF lined IS NOT NULL THEN
        PERFORM internal_leave(lined, NULL);
    END IF;
    IF linked IS NOT NULL THEN
        PERFORM internal_tick(linked, 'DONE');
    END IF;

    IF emptied IS NOT NULL THEN
        PERFORM internal_forget(emptied);
    END IF;
    IF cardinality(ids) > coalesce(cardinality(done_ids), 0) THEN
        RETURN QUERY SELECT g.id FROM unnest(ids, leases) AS g (id, lease)
        WHERE ((g.id, g.lease) IN (SELECT * FROM unnest(done_ids, done_leases))) IS NOT TRUE;
    END IF;
END
$$;

-- Refuses results that would keep the jobs behind them waiting (JQ422), the first of them.
CREATE OR REPLACE FUNCTION internal_check_results(results text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    bad record;
BEGIN
    SELECT g.i, octet_length(g.v) AS bytes INTO bad FROM unnest(results) WITH ORDINALITY AS g (v, i)
    WHERE octet_length(g.v) > 8388608 ORDER BY g.i LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid(
            'result' || CASE WHEN cardinality(results) > 1 THEN format(' of job %s', bad.i) ELSE '' END,
            bad.bytes || ' bytes', 'must not be longer than 8388608 bytes');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_check_results(text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION complete_many(uuid[], bigint[], text[]) FROM PUBLIC;
