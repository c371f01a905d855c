-- The workers that registered, live and dead, with the number of jobs each holds.
CREATE OR REPLACE FUNCTION nodes(ttl interval DEFAULT '20 seconds') RETURNS TABLE (
    id uuid, host text, pid int, version text, queues text[], types text[], started_at timestamptz, beat_ms bigint,
    is_live boolean, running bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    IF internal_check_span('ttl', ttl, 0) IS NULL THEN
        PERFORM internal_invalid('ttl', NULL, 'must not be null');
    END IF;
    RETURN QUERY
    SELECT w.id, w.host, w.pid, w.version, w.queues, w.types, w.started_at,
        greatest(0, extract(epoch FROM clock_timestamp() - w.beat_at) * 1000)::bigint,
        w.dead_at IS NULL AND w.beat_at > clock_timestamp() - coalesce(w.ttl, nodes.ttl),
        (SELECT count(*) FROM (
            SELECT FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
            WHERE l.worker_id = w.id LIMIT 10000) r)
    FROM worker w ORDER BY w.started_at DESC, w.id LIMIT 1000;
END
$$;

REVOKE ALL ON FUNCTION nodes(interval) FROM PUBLIC;
