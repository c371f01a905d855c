-- RUNNING -> PENDING, or WAITING with limits, or DEAD when no attempt is left (CANCELLED where it was asked): jobs
-- whose worker stopped beating or is not registered any more, and jobs past their own timeout. The attempt counts if it
-- had begun, the error says why. How long a worker may be silent is its own to say; ttl is for those that do not. Cheap
-- when there is nothing to do: skips from worker to worker in lease_worker, reads the head of lease_timeout.
CREATE OR REPLACE FUNCTION rescue(
    ttl interval DEFAULT '20 seconds', grace interval DEFAULT '0', max int DEFAULT 1000
) RETURNS TABLE (id uuid, queue text, type text, state text, reason text, attempt int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    leases bigint[];
    late bigint[];
    lost record;
BEGIN
    IF internal_check_span('ttl', rescue.ttl, 0) IS NULL OR internal_check_span('grace', grace, 0) IS NULL THEN
        PERFORM internal_invalid('ttl and grace', NULL, 'must not be null');
    ELSIF (rescue.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', rescue.max::text, 'must be at least 1');
    END IF;

    -- A worker that is beating at this moment is skipped; one that was quicker is looked at again under the lock.
    UPDATE worker SET dead_at = clock WHERE id IN (
        SELECT w.id FROM worker w WHERE w.dead_at IS NULL AND w.beat_at < clock - coalesce(w.ttl, rescue.ttl)
        FOR UPDATE SKIP LOCKED);

    WITH RECURSIVE holder (worker_id) AS (
        (SELECT l.worker_id FROM lease l ORDER BY l.worker_id LIMIT 1)
        UNION ALL
        SELECT (SELECT l.worker_id FROM lease l WHERE l.worker_id > h.worker_id ORDER BY l.worker_id LIMIT 1)
        FROM holder h WHERE h.worker_id IS NOT NULL
    ), gone AS MATERIALIZED (
        SELECT h.worker_id, w.id IS NULL AS is_unknown FROM holder h LEFT JOIN worker w ON w.id = h.worker_id
        WHERE h.worker_id IS NOT NULL AND (w.id IS NULL OR w.dead_at IS NOT NULL)
    )
    SELECT array_agg(f.number) INTO leases FROM (
        SELECT l.number FROM gone g JOIN lease l ON l.worker_id = g.worker_id
        WHERE NOT g.is_unknown OR l.claimed_at < clock - rescue.ttl
        LIMIT rescue.max FOR UPDATE OF l SKIP LOCKED) AS f;
    SELECT array_agg(f.number) INTO late FROM (
        SELECT l.number FROM lease l WHERE l.timeout_at < clock - grace
        ORDER BY l.timeout_at LIMIT rescue.max FOR UPDATE SKIP LOCKED) AS f;

    SELECT array_agg(f.id) AS ids, array_agg(f.number) AS numbers, array_agg(f.reason) AS reasons,
        array_agg(f.begun) AS begun
    INTO lost FROM (
        SELECT j.id, l.number,
            CASE WHEN l.number = ANY (leases) AND w.id IS NULL
                    THEN format('worker %s is not registered any more', l.worker_id)
                WHEN l.number = ANY (leases) THEN format('worker %s on host %s stopped beating at %s', l.worker_id,
                    coalesce(w.host, '?'), w.beat_at)
                ELSE format('timeout at %s', t.timeout_at) END AS reason,
            -- What a worker claimed after its last beat it cannot have told of.
            NOT l.is_direct AND (j.id = ANY (w.held)) IS NOT TRUE
                AND (w.held IS NULL OR l.claimed_at <= w.beat_at OR (l.number = ANY (leases)) IS NOT TRUE) AS begun
        FROM (SELECT DISTINCT n FROM unnest(leases || late) AS n) AS given
            CROSS JOIN LATERAL (SELECT * FROM lease l WHERE l.number = given.n OFFSET 0) AS l
            CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
            CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
            CROSS JOIN LATERAL internal_timeout_at(j, l.claimed_at) AS t (timeout_at)
            LEFT JOIN worker w ON w.id = l.worker_id
        WHERE l.number = ANY (leases) OR t.timeout_at < clock - grace
        LIMIT rescue.max FOR UPDATE OF j SKIP LOCKED) AS f;

    -- One that cannot be taken back, such as a damaged row, must not keep the others.
    IF lost.ids IS NOT NULL THEN
        BEGIN
            RETURN QUERY SELECT * FROM internal_take_back(lost.ids, lost.numbers, lost.reasons, lost.begun);
        EXCEPTION WHEN OTHERS THEN
            FOR n IN 1 .. cardinality(lost.ids) LOOP
                BEGIN
                    RETURN QUERY SELECT * FROM internal_take_back(
                        lost.ids[n:n], lost.numbers[n:n], lost.reasons[n:n], lost.begun[n:n]);
                EXCEPTION WHEN OTHERS THEN
                    RAISE WARNING 'job % cannot be rescued: %', lost.ids[n], SQLERRM;
                END;
            END LOOP;
        END;
    END IF;
    PERFORM internal_tidy(leases || late);
    UPDATE lease l SET timeout_at = (
        SELECT min(t.timeout_at) FROM unnest(l.ids, l.versions) AS h (id, version)
            CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
            CROSS JOIN LATERAL internal_timeout_at(j, l.claimed_at) AS t (timeout_at))
    WHERE l.number = ANY (late);
END
$$;

REVOKE ALL ON FUNCTION rescue(interval, interval, int) FROM PUBLIC;
