-- Pending and waiting types that no live node handles, from the first jobs of each queue in claim order.
-- They are met there: nobody claims them, so sooner or later they are the oldest.
CREATE OR REPLACE FUNCTION unhandled(ttl interval DEFAULT '20 seconds', max int DEFAULT 1000)
RETURNS TABLE (queue text, type text, jobs bigint, oldest_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    epochs constant int[] := internal_epochs();
BEGIN
    IF internal_check_span('ttl', ttl, 0) IS NULL THEN
        PERFORM internal_invalid('ttl', NULL, 'must not be null');
    ELSIF (unhandled.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', unhandled.max::text, 'must be at least 1');
    END IF;
    RETURN QUERY
    SELECT f.queue, f.type, count(*),
        -- Of the one that is due first.
        (SELECT greatest(0, extract(epoch FROM clock_timestamp() - greatest(j.run_at, j.created_at)) * 1000)::bigint
            FROM job j WHERE j.id = (array_agg(f.id ORDER BY f.run_at))[1])
    FROM internal_queues(ttl) AS k CROSS JOIN LATERAL (
        SELECT k AS queue, r.type, r.run_at, r.id FROM unnest(epochs) AS e CROSS JOIN LATERAL (
            SELECT r.type, r.run_at, r.id FROM ready r WHERE r.epoch = e AND r.hash = hashtextextended(k, 0)
            ORDER BY r.rank, r.run_at, r.id LIMIT unhandled.max) AS r
        UNION ALL
        (SELECT k, w.type, w.run_at, w.id FROM waiting w WHERE w.hash = hashtextextended(k, 0)
            ORDER BY w.run_at, w.id LIMIT unhandled.max)) AS f
    GROUP BY f.queue, f.type
    -- A worker that does not say what it handles may handle anything.
    HAVING NOT EXISTS (SELECT FROM worker w
        WHERE w.dead_at IS NULL AND w.beat_at > clock_timestamp() - coalesce(w.ttl, unhandled.ttl)
            AND (w.queues IS NULL OR f.queue = ANY (w.queues)) AND (w.types IS NULL OR f.type = ANY (w.types)))
    ORDER BY f.queue, f.type;
END
$$;

REVOKE ALL ON FUNCTION unhandled(interval, int) FROM PUBLIC;
