-- How many batches and flows of each name have not finished, up to 10,000 of a name; at most 1,000 names. Skips from
-- name to name in the index.
CREATE OR REPLACE FUNCTION flow_figures() RETURNS TABLE (kind text, name text, running bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
    WITH RECURSIVE known (kind, name) AS (
        (SELECT f.kind, f.name FROM flow f WHERE f.finished_at IS NULL ORDER BY f.kind, f.name LIMIT 1)
        UNION ALL
        SELECT n.kind, n.name FROM known k CROSS JOIN LATERAL (
            SELECT f.kind, f.name FROM flow f WHERE f.finished_at IS NULL AND (f.kind, f.name) > (k.kind, k.name)
            ORDER BY f.kind, f.name LIMIT 1) AS n
    )
    SELECT k.kind, k.name, (SELECT count(*) FROM (SELECT FROM flow f
        WHERE f.finished_at IS NULL AND f.kind = k.kind AND f.name = k.name LIMIT 10000) AS c)
    FROM (SELECT * FROM known LIMIT 1000) AS k
$$;

REVOKE ALL ON FUNCTION flow_figures() FROM PUBLIC;
