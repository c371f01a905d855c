-- Since when the oldest pending job of a queue is due: the first of each priority, of the 100 highest priorities.
CREATE OR REPLACE FUNCTION internal_oldest(queue text) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
    WITH RECURSIVE head (priority, since) AS (
        (SELECT j.priority, greatest(j.run_at, j.created_at) FROM job j
        WHERE hashtextextended(j.queue, 0) = hashtextextended(internal_oldest.queue, 0)
            AND j.queue = internal_oldest.queue AND j.state = 'PENDING'
        ORDER BY j.priority DESC, j.run_at, j.id LIMIT 1)
        UNION ALL
        SELECT n.priority, n.since FROM head h CROSS JOIN LATERAL (
            SELECT j.priority, greatest(j.run_at, j.created_at) AS since FROM job j
            WHERE hashtextextended(j.queue, 0) = hashtextextended(internal_oldest.queue, 0)
                AND j.queue = internal_oldest.queue AND j.state = 'PENDING' AND j.priority < h.priority
            ORDER BY j.priority DESC, j.run_at, j.id LIMIT 1) n
    )
    SELECT min(since) FROM (SELECT since FROM head LIMIT 100) h
$$;

REVOKE ALL ON FUNCTION internal_oldest(text) FROM PUBLIC;
