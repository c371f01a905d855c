-- Since when the oldest pending job of a queue is due: the first of each priority, of the 100 highest priorities.
-- types NULL means all. Else the first of these types counts, looked for among the first 1,000 of each priority.
CREATE OR REPLACE FUNCTION internal_oldest(queue text, types text[] DEFAULT NULL) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
    WITH RECURSIVE level (priority) AS (
        (SELECT j.priority FROM job j
        WHERE hashtextextended(j.queue, 0) = hashtextextended(internal_oldest.queue, 0)
            AND j.queue = internal_oldest.queue AND j.state = 'PENDING'
        ORDER BY j.priority DESC, j.run_at, j.id LIMIT 1)
        UNION ALL
        SELECT n.priority FROM level l CROSS JOIN LATERAL (
            SELECT j.priority FROM job j
            WHERE hashtextextended(j.queue, 0) = hashtextextended(internal_oldest.queue, 0)
                AND j.queue = internal_oldest.queue AND j.state = 'PENDING' AND j.priority < l.priority
            ORDER BY j.priority DESC, j.run_at, j.id LIMIT 1) n
    )
    SELECT min(h.since) FROM (SELECT priority FROM level LIMIT 100) l CROSS JOIN LATERAL (
        SELECT f.since FROM (
            SELECT j.type, greatest(j.run_at, j.created_at) AS since FROM job j
            WHERE hashtextextended(j.queue, 0) = hashtextextended(internal_oldest.queue, 0)
                AND j.queue = internal_oldest.queue AND j.state = 'PENDING' AND j.priority = l.priority
            ORDER BY j.priority DESC, j.run_at, j.id LIMIT 1000) f
        WHERE internal_oldest.types IS NULL OR f.type = ANY (internal_oldest.types) LIMIT 1) h
$$;

REVOKE ALL ON FUNCTION internal_oldest(text, text[]) FROM PUBLIC;
