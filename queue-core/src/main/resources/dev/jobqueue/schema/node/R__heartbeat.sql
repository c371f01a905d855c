-- The worker lives. Of the pairs given: LOST, no longer running under that lease; CANCEL, asked to stop.
-- One beat for all jobs of a worker; registers it on the first. Given pairs are all it has: others of its jobs, claimed
-- longer ago than unknown_after, go back to PENDING. held says which of them have not begun: rescue counts no attempt.
CREATE OR REPLACE FUNCTION heartbeat(
    worker_id uuid, host text DEFAULT NULL, pid int DEFAULT NULL, version text DEFAULT NULL,
    queues text[] DEFAULT NULL, types text[] DEFAULT NULL, ids uuid[] DEFAULT NULL, leases bigint[] DEFAULT NULL,
    unknown_after interval DEFAULT '10 seconds', ttl interval DEFAULT NULL, held boolean[] DEFAULT NULL
) RETURNS TABLE (id uuid, lease bigint, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    waiting uuid[];
    unknown record;
BEGIN
    IF worker_id IS NULL THEN
        PERFORM internal_invalid('worker_id', NULL, 'must not be null');
    END IF;
    PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    IF heartbeat.held IS NOT NULL THEN
        PERFORM internal_check_pairs(ids, 'held', cardinality(heartbeat.held));
        waiting := ARRAY(SELECT g.id FROM unnest(heartbeat.ids, heartbeat.held) AS g (id, held) WHERE g.held);
    END IF;
    IF internal_check_span('unknown_after', unknown_after, 0) IS NULL THEN
        PERFORM internal_invalid('unknown_after', NULL, 'must not be null');
    END IF;
    PERFORM internal_check_span('ttl', heartbeat.ttl, 1);
    INSERT INTO worker AS w (id, host, pid, version, queues, types, ttl, held, started_at, beat_at)
    VALUES (heartbeat.worker_id, heartbeat.host, heartbeat.pid, heartbeat.version, heartbeat.queues, heartbeat.types,
        heartbeat.ttl, waiting, clock, clock)
    ON CONFLICT (id) DO UPDATE SET beat_at = greatest(w.beat_at, excluded.beat_at),
        host = coalesce(excluded.host, w.host), pid = coalesce(excluded.pid, w.pid),
        version = coalesce(excluded.version, w.version), queues = coalesce(excluded.queues, w.queues),
        types = coalesce(excluded.types, w.types), ttl = coalesce(excluded.ttl, w.ttl),
        held = excluded.held
    WHERE w.dead_at IS NULL;
    IF NOT FOUND THEN
        PERFORM internal_refuse_dead(w.id, w.dead_at) FROM worker w WHERE w.id = heartbeat.worker_id;
    END IF;

    IF heartbeat.ids IS NOT NULL THEN
        -- Claimed by a call whose answer never arrived: the worker does not know of them, and nobody else would look.
        -- NOT IN hashes the ids once. "<> ALL" would compare each job with each id. One that somebody holds locked is
        -- left to the next beat: this one must not wait.
        SELECT array_agg(u.id) AS ids, array_agg(u.lease) AS leases INTO unknown FROM (
            SELECT j.id, (l.number << 12) | (j.version & 4095) AS lease
            FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
            WHERE l.worker_id = heartbeat.worker_id AND l.claimed_at < clock - unknown_after
                AND h.id NOT IN (SELECT unnest(heartbeat.ids))
            FOR UPDATE OF j SKIP LOCKED) AS u;
        IF unknown.ids IS NOT NULL THEN
            PERFORM internal_give_back(unknown.ids, unknown.leases);
        END IF;
        -- Settled in more than one call.
        PERFORM internal_tidy(ARRAY(
            SELECT l.number FROM lease l
            WHERE l.worker_id = heartbeat.worker_id AND l.claimed_at < clock - interval '1 second'
                AND l.number NOT IN (SELECT g >> 12 FROM unnest(heartbeat.leases) AS g)));
    END IF;

    RETURN QUERY
    SELECT g.id, g.lease, CASE WHEN r.id IS NULL THEN 'LOST' ELSE 'CANCEL' END
    FROM unnest(ids, leases) AS g (id, lease) LEFT JOIN LATERAL (
        SELECT j.id, j.cancel_requested_at FROM job j
        WHERE j.id = g.id AND (j.version & 4095) = (g.lease & 4095)
            AND EXISTS (SELECT FROM lease l WHERE l.number = g.lease >> 12
                AND l.versions[array_position(l.ids, g.id)] = j.version) OFFSET 0) AS r ON true
    WHERE r.id IS NULL OR r.cancel_requested_at IS NOT NULL;
END
$$;

REVOKE ALL ON FUNCTION heartbeat(uuid, text, int, text, text[], text[], uuid[], bigint[], interval,
    interval, boolean[]) FROM PUBLIC;
