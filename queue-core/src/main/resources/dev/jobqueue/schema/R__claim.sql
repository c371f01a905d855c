-- PENDING -> RUNNING: due jobs of the given queues that no other worker is taking; by priority, then run_at, then id.
-- The caller decides how durable a claim must be: losing one in a crash costs a run that fencing makes harmless.
CREATE OR REPLACE FUNCTION claim(
    worker_id uuid, queues text[] DEFAULT '{default}', limits int[] DEFAULT '{1}', types text[] DEFAULT NULL,
    max_bytes bigint DEFAULT NULL
) RETURNS TABLE (
    id uuid, queue text, type text, payload json, attempt int, max_attempts int, lease bigint, headers jsonb,
    steps jsonb, percent smallint, stage text, created_at timestamptz, run_at timestamptz, timeout_at timestamptz,
    timeout interval, claimed_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
-- A queue table looks empty or huge to ANALYZE at the wrong moment: pin the plan, whatever the statistics say.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_tidscan = on SET enable_indexscan = on SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz;
    declared_dead timestamptz;
    new_lease bigint;
    first tid[];
    tids tid[] := '{}';
    in_order boolean := false;
    policies text[];
    most_attempts int[];
    longest interval[];
BEGIN
    IF claim.worker_id IS NULL THEN
        PERFORM internal_invalid('worker_id', NULL, 'must not be null');
    ELSIF queues IS NULL OR cardinality(queues) IS DISTINCT FROM cardinality(limits) THEN
        PERFORM internal_invalid('limits', limits::text, 'must have as many elements as queues');
    ELSIF EXISTS (SELECT FROM unnest(limits) AS l WHERE (l >= 0) IS NOT TRUE) THEN
        PERFORM internal_invalid('limits', limits::text, 'must be 0 or more, each');
    ELSIF cardinality(queues) > 1 AND (SELECT count(DISTINCT q) < cardinality(queues) FROM unnest(queues) AS q) THEN
        PERFORM internal_invalid('queues', queues::text, 'must name each queue once, and none null');
    ELSIF max_bytes <= 0 THEN
        PERFORM internal_invalid('max_bytes', max_bytes::text, 'must be more than 0');
    END IF;

    SELECT w.dead_at INTO declared_dead FROM worker w WHERE w.id = claim.worker_id;
    IF NOT FOUND THEN
        INSERT INTO worker (id, started_at, beat_at) VALUES (claim.worker_id, clock_timestamp(), clock_timestamp())
        ON CONFLICT DO NOTHING;
    ELSIF declared_dead IS NOT NULL THEN
        PERFORM internal_refuse_dead(claim.worker_id, declared_dead);
    END IF;

    FOR i IN 1 .. cardinality(queues) LOOP
        IF (length(queues[i]) BETWEEN 1 AND 200) IS NOT TRUE THEN
            PERFORM internal_check_name('queues', queues[i]);
        END IF;
        IF limits[i] > 0 AND NOT EXISTS (SELECT FROM queue q WHERE q.name = queues[i] AND q.paused_at IS NOT NULL) THEN
            IF limits[i] >= 200 THEN
                PERFORM internal_await_turn(queues[i]);
            END IF;
            first := internal_find(queues[i], claim.types, limits[i]);
            IF max_bytes IS NOT NULL AND cardinality(first) > 1 THEN
                first := internal_fit(queues[i], first, max_bytes);
            END IF;
            tids := tids || first;
        END IF;
    END LOOP;
    IF tids = '{}' THEN
        RETURN;
    END IF;

    -- Once for all jobs, and not a look-up for each.
    SELECT array_agg(p.type), array_agg(p.max_attempts), CASE WHEN count(p.timeout) > 0 THEN array_agg(p.timeout) END
    INTO policies, most_attempts, longest FROM retry_policy p;

    -- The clock is part of a lease because claims may commit asynchronously: a crash can take the sequence back, and
    -- with the number alone a worker from before it could hold a lease that is given again.
    clock := clock_timestamp();
    new_lease := ((extract(epoch FROM clock) * 1000)::bigint << 20) | (nextval('lease_number') & 1048575);

    -- By ctid (the rows are locked, they stay where they are), half the cost of finding them by id again. A list of them is
    -- visited in the order of the table, which is that of the claim when jobs were stored as they fell due.
    IF cardinality(tids) >= 100 THEN
        in_order := tids = ARRAY(SELECT unnest(tids) ORDER BY 1);
    END IF;
    IF in_order THEN
        RETURN QUERY
        UPDATE job SET state = 'RUNNING', lease = new_lease, worker_id = claim.worker_id, claimed_at = clock,
            max_attempts = coalesce(max_attempts, most_attempts[array_position(policies, type)], 3),
            timeout = coalesce(timeout, longest[array_position(policies, type)]),
            timeout_at = clock + coalesce(timeout, longest[array_position(policies, type)]), attempt = attempt + 1
        WHERE job.ctid = ANY (tids)
        RETURNING id, queue, type, payload, attempt, max_attempts, lease, coalesce(headers, '{}'),
            CASE WHEN steps > 0 THEN
                (SELECT jsonb_object_agg(s.step, s.result) FROM job_step s WHERE s.job_id = job.id) END,
            percent, stage, created_at, run_at, timeout_at, timeout, claimed_at;
    ELSE
        -- The same one by one in the order they were found: a tenth more, less than sorting what came back.
        RETURN QUERY
        UPDATE job SET state = 'RUNNING', lease = new_lease, worker_id = claim.worker_id, claimed_at = clock,
            max_attempts = coalesce(max_attempts, most_attempts[array_position(policies, type)], 3),
            timeout = coalesce(timeout, longest[array_position(policies, type)]),
            timeout_at = clock + coalesce(timeout, longest[array_position(policies, type)]), attempt = attempt + 1
        FROM unnest(tids) AS found (tid) WHERE job.ctid = found.tid
        RETURNING id, queue, type, payload, attempt, max_attempts, lease, coalesce(headers, '{}'),
            CASE WHEN steps > 0 THEN
                (SELECT jsonb_object_agg(s.step, s.result) FROM job_step s WHERE s.job_id = job.id) END,
            percent, stage, created_at, run_at, timeout_at, timeout, claimed_at;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION claim(uuid, text[], int[], text[], bigint) FROM PUBLIC;
