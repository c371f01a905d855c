-- The queues there are: with jobs or dead letters, configured, or worked by a live node. At most 1,000.
-- Skips from queue to queue in the indexes: costs by the number of queues, not of jobs.
CREATE OR REPLACE FUNCTION internal_queues(ttl interval) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
    WITH RECURSIVE pending (epoch, hash, id) AS (
        SELECT e, r.hash, r.id FROM unnest(internal_epochs()) AS e CROSS JOIN LATERAL (
            SELECT r.hash, r.id FROM ready r WHERE r.epoch = e ORDER BY r.hash, r.rank, r.run_at, r.id LIMIT 1) r
        UNION ALL
        SELECT p.epoch, r.hash, r.id FROM pending p CROSS JOIN LATERAL (
            SELECT r.hash, r.id FROM ready r WHERE r.epoch = p.epoch AND r.hash > p.hash
            ORDER BY r.hash, r.rank, r.run_at, r.id LIMIT 1) r
    ), planned (hash, id) AS (
        (SELECT s.hash, s.id FROM scheduled s ORDER BY s.hash, s.run_at, s.id LIMIT 1)
        UNION ALL
        SELECT n.hash, n.id FROM planned p CROSS JOIN LATERAL (
            SELECT s.hash, s.id FROM scheduled s WHERE s.hash > p.hash ORDER BY s.hash, s.run_at, s.id LIMIT 1) n
    ), limited (hash, id) AS (
        (SELECT w.hash, w.id FROM waiting w ORDER BY w.hash, w.run_at, w.id LIMIT 1)
        UNION ALL
        SELECT n.hash, n.id FROM limited l CROSS JOIN LATERAL (
            SELECT w.hash, w.id FROM waiting w WHERE w.hash > l.hash ORDER BY w.hash, w.run_at, w.id LIMIT 1) n
    ), dead (queue) AS (
        (SELECT l.queue FROM dead_letter l ORDER BY l.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT l.queue FROM dead_letter l WHERE l.queue > d.queue ORDER BY l.queue LIMIT 1)
        FROM dead d WHERE d.queue IS NOT NULL
    )
    SELECT k.queue FROM (
        SELECT j.queue FROM (SELECT id FROM pending LIMIT 1000) p JOIN job j ON j.id = p.id
        UNION SELECT j.queue FROM (SELECT id FROM planned LIMIT 1000) s JOIN job j ON j.id = s.id
        UNION SELECT j.queue FROM (SELECT id FROM limited LIMIT 1000) l JOIN job j ON j.id = l.id
        UNION SELECT queue FROM (SELECT queue FROM dead LIMIT 1000) d
        UNION SELECT name FROM queue
        UNION SELECT unnest(w.queues) FROM worker w
            WHERE w.dead_at IS NULL AND w.beat_at > clock_timestamp() - coalesce(w.ttl, internal_queues.ttl)
    ) k WHERE k.queue IS NOT NULL LIMIT 1000
$$;

REVOKE ALL ON FUNCTION internal_queues(interval) FROM PUBLIC;
