-- The worker lives. Of the pairs given: LOST, no longer running under that lease; CANCEL, asked to stop.
-- One beat for all jobs of a worker; registers it on the first. Given pairs are all it has: others of its jobs, claimed
-- longer ago than unknown_after, go back to PENDING.
CREATE OR REPLACE FUNCTION heartbeat(
    worker_id uuid, host text DEFAULT NULL, pid int DEFAULT NULL, version text DEFAULT NULL,
    queues text[] DEFAULT NULL, types text[] DEFAULT NULL, ids uuid[] DEFAULT NULL, leases bigint[] DEFAULT NULL,
    unknown_after interval DEFAULT '10 seconds', ttl interval DEFAULT NULL
) RETURNS TABLE (id uuid, lease bigint, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    unknown_ids uuid[];
    unknown_leases bigint[];
BEGIN
    IF worker_id IS NULL THEN
        PERFORM internal_invalid('worker_id', NULL, 'must not be null');
    END IF;
    PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    IF internal_check_span('unknown_after', unknown_after, 0) IS NULL THEN
        PERFORM internal_invalid('unknown_after', NULL, 'must not be null');
    END IF;
    PERFORM internal_check_span('ttl', heartbeat.ttl, 1);
    INSERT INTO worker AS w (id, host, pid, version, queues, types, ttl, started_at, beat_at)
    VALUES (heartbeat.worker_id, heartbeat.host, heartbeat.pid, heartbeat.version, heartbeat.queues, heartbeat.types,
        heartbeat.ttl, clock, clock)
    ON CONFLICT (id) DO UPDATE SET beat_at = greatest(w.beat_at, excluded.beat_at),
        host = coalesce(excluded.host, w.host), pid = coalesce(excluded.pid, w.pid),
        version = coalesce(excluded.version, w.version), queues = coalesce(excluded.queues, w.queues),
        types = coalesce(excluded.types, w.types), ttl = coalesce(excluded.ttl, w.ttl)
    WHERE w.dead_at IS NULL;
    IF NOT FOUND THEN
        PERFORM internal_refuse_dead(w.id, w.dead_at) FROM worker w WHERE w.id = heartbeat.worker_id;
    END IF;

    -- Claimed by a call whose answer never arrived: the worker does not know of them, and nobody else would look.
    -- NOT IN hashes the ids once. "<> ALL" would compare each job with each id. One that somebody holds locked is left to
    -- the next beat: this one must not wait.
    IF heartbeat.ids IS NOT NULL THEN
        SELECT array_agg(unknown.id), array_agg(unknown.lease) INTO unknown_ids, unknown_leases FROM (
            SELECT j.id, j.lease FROM job j
            WHERE j.worker_id = heartbeat.worker_id AND j.state = 'RUNNING'
                AND j.claimed_at < clock - unknown_after AND j.id NOT IN (SELECT unnest(heartbeat.ids))
            FOR UPDATE SKIP LOCKED) AS unknown;
        IF unknown_ids IS NOT NULL THEN
            PERFORM internal_give_back(unknown_ids, unknown_leases);
        END IF;
    END IF;

    RETURN QUERY
    SELECT g.id, g.lease, CASE WHEN job.id IS NULL THEN 'LOST' ELSE 'CANCEL' END
    FROM unnest(ids, leases) AS g (id, lease) LEFT JOIN job ON job.id = g.id AND job.lease = g.lease
    WHERE job.id IS NULL OR job.cancel_requested_at IS NOT NULL;
END
$$;

REVOKE ALL ON FUNCTION heartbeat(uuid, text, int, text, text[], text[], uuid[], bigint[], interval,
    interval) FROM PUBLIC;
