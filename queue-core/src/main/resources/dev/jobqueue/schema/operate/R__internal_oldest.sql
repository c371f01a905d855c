-- Since when the oldest pending job of a queue is due: the first of each priority, of the 100 highest priorities.
-- types NULL means all. Else the first of these types counts, looked for among the first 1,000 of each priority.
CREATE OR REPLACE FUNCTION internal_oldest(queue text, types text[] DEFAULT NULL) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
    WITH RECURSIVE place (epoch, hash) AS (
        SELECT e, hashtextextended(internal_oldest.queue, 0) FROM unnest(internal_epochs()) AS e
    ), level (epoch, hash, rank) AS (
        SELECT p.epoch, p.hash, r.rank FROM place p CROSS JOIN LATERAL (
            SELECT r.rank FROM ready r WHERE r.epoch = p.epoch AND r.hash = p.hash
            ORDER BY r.rank, r.run_at, r.id LIMIT 1) r
        UNION ALL
        SELECT l.epoch, l.hash, n.rank FROM level l CROSS JOIN LATERAL (
            SELECT r.rank FROM ready r WHERE r.epoch = l.epoch AND r.hash = l.hash AND r.rank > l.rank
            ORDER BY r.rank, r.run_at, r.id LIMIT 1) n
    )
    SELECT min(greatest(j.run_at, j.created_at)) FROM (SELECT * FROM level LIMIT 100) l CROSS JOIN LATERAL (
        SELECT f.id FROM (
            SELECT r.id, r.type FROM ready r WHERE r.epoch = l.epoch AND r.hash = l.hash AND r.rank = l.rank
            ORDER BY r.rank, r.run_at, r.id LIMIT 1000) f
        WHERE internal_oldest.types IS NULL OR f.type = ANY (internal_oldest.types) LIMIT 1) h
        JOIN job j ON j.id = h.id
$$;

REVOKE ALL ON FUNCTION internal_oldest(text, text[]) FROM PUBLIC;
