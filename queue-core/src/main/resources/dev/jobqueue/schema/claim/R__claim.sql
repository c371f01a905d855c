-- PENDING -> RUNNING: due jobs of the given queues that no other worker is taking; by priority, then run_at, then id.
-- WAITING -> RUNNING: those whose limits let them pass, line by line. Where there are both, each gets half at least.
-- lane: the line of a job with a FIFO limit. Jobs of a claim with the same one are a series, to be handled in order.
-- The caller decides how durable a claim must be: one that a crash forgot leaves its jobs where they were. One of jobs
-- with limits is always durable. End the transaction soon after: until then nobody else claims of these limits.
CREATE OR REPLACE FUNCTION claim(
    worker_id uuid, queues text[] DEFAULT '{default}', limits int[] DEFAULT '{1}', types text[] DEFAULT NULL,
    max_bytes bigint DEFAULT NULL
) RETURNS TABLE (
    id uuid, queue text, type text, payload json, attempt int, max_attempts int, lease bigint, headers jsonb,
    steps jsonb, percent smallint, stage text, created_at timestamptz, run_at timestamptz, timeout_at timestamptz,
    timeout interval, claimed_at timestamptz, limited boolean, flow uuid, flow_step text, lane bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
-- A queue table looks empty or huge to ANALYZE at the wrong moment: pin the plan, whatever the statistics say.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    declared_dead timestamptz;
    taken uuid[];
    epochs constant int[] := internal_epochs();
    passed record;
    -- Limits, by this claim.
    locked int[] := '{}';
    -- The queue whose older epochs are looked at, one claim in twenty.
    lucky constant int := 1 + floor(random() * 20 * cardinality(queues));
BEGIN
    IF claim.worker_id IS NULL THEN
        PERFORM internal_invalid('worker_id', NULL, 'must not be null');
    ELSIF queues IS NULL OR cardinality(queues) IS DISTINCT FROM cardinality(limits) THEN
        PERFORM internal_invalid('limits', limits::text, 'must have as many elements as queues');
    ELSIF (0 <= ALL (limits)) IS NOT TRUE THEN
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

    IF cardinality(queues) > 10 THEN
        -- Most of many queues are empty: a look at the index for each costs less than a search.
        limits := internal_limits(queues, limits);
    END IF;
    FOR i IN 1 .. cardinality(queues) LOOP
        IF (length(queues[i]) BETWEEN 1 AND 200) IS NOT TRUE THEN
            PERFORM internal_check_name('queues', queues[i]);
        END IF;
        CONTINUE WHEN limits[i] = 0
            OR EXISTS (SELECT FROM queue q WHERE q.name = queues[i] AND q.paused_at IS NOT NULL);
        IF internal_has_turn(hashtextextended(queues[i], 0), epochs) THEN
            SELECT * INTO passed FROM internal_claim_lines(
                queues[i], claim.types, limits[i], max_bytes, i = lucky, locked);
            taken := passed.ids;
            locked := passed.locked;
        ELSE
            taken := internal_take(queues[i], claim.types, limits[i], max_bytes, i = lucky);
        END IF;
        IF taken IS NOT NULL THEN
            RETURN QUERY SELECT * FROM internal_lease(claim.worker_id, queues[i], taken);
        END IF;
    END LOOP;
END
$$;

-- How many are wanted of these queues, 0 of those without entries. All stay as they are while there are several epochs,
-- because only a search knows where to begin in an older one.
CREATE OR REPLACE FUNCTION internal_limits(queues text[], limits int[]) RETURNS int[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    epochs constant int[] := internal_epochs();
BEGIN
    IF cardinality(epochs) > 1 OR EXISTS (SELECT FROM turn t WHERE t.epoch = epochs[1] AND t.hash = 0) THEN
        RETURN limits;
    END IF;
    RETURN ARRAY(
        SELECT CASE WHEN EXISTS (
            SELECT FROM ready r WHERE r.epoch = epochs[1] AND r.hash = hashtextextended(g.queue, 0))
            OR EXISTS (SELECT FROM turn t WHERE t.epoch = epochs[1] AND t.hash = hashtextextended(g.queue, 0))
            THEN g.most ELSE 0 END
        FROM unnest(queues, limits) WITH ORDINALITY AS g (queue, most, i) ORDER BY g.i);
END
$$;

REVOKE ALL ON FUNCTION claim(uuid, text[], int[], text[], bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_limits(text[], int[]) FROM PUBLIC;
