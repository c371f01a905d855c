-- The queues there are: with jobs or dead letters, configured, or worked by a live node. At most 1,000.
-- Skips from queue to queue in the indexes: costs by the number of queues, not of jobs.
CREATE OR REPLACE FUNCTION internal_queues(ttl interval) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
    WITH RECURSIVE pending (queue) AS (
        (SELECT j.queue FROM job j WHERE j.state = 'PENDING' ORDER BY hashtextextended(j.queue, 0) LIMIT 1)
        UNION ALL
        SELECT (SELECT j.queue FROM job j
            WHERE j.state = 'PENDING' AND hashtextextended(j.queue, 0) > hashtextextended(p.queue, 0)
            ORDER BY hashtextextended(j.queue, 0) LIMIT 1)
        FROM pending p WHERE p.queue IS NOT NULL
    ), scheduled (queue) AS (
        (SELECT j.queue FROM job j WHERE j.state = 'SCHEDULED' ORDER BY j.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT j.queue FROM job j WHERE j.state = 'SCHEDULED' AND j.queue > s.queue ORDER BY j.queue LIMIT 1)
        FROM scheduled s WHERE s.queue IS NOT NULL
    ), dead (queue) AS (
        (SELECT l.queue FROM dead_letter l ORDER BY l.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT l.queue FROM dead_letter l WHERE l.queue > d.queue ORDER BY l.queue LIMIT 1)
        FROM dead d WHERE d.queue IS NOT NULL
    )
    SELECT k.queue FROM (
        SELECT queue FROM (SELECT queue FROM pending LIMIT 1000) p
        UNION SELECT queue FROM (SELECT queue FROM scheduled LIMIT 1000) s
        UNION SELECT queue FROM (SELECT queue FROM dead LIMIT 1000) d
        UNION SELECT name FROM queue
        UNION SELECT unnest(w.queues) FROM worker w
            WHERE w.dead_at IS NULL AND w.beat_at > clock_timestamp() - coalesce(w.ttl, internal_queues.ttl)
    ) k WHERE k.queue IS NOT NULL LIMIT 1000
$$;

REVOKE ALL ON FUNCTION internal_queues(interval) FROM PUBLIC;
