-- Dead letters by queue, type and error (internal_fingerprint): at most max groups, the one that grew last first. Skips
-- from group to group in the index and counts 1,000 of each, so it costs by the number of groups. Of more than 1,000
-- groups it looks at some.
CREATE OR REPLACE FUNCTION dead_groups(max int DEFAULT 100) RETURNS TABLE (
    fingerprint text, queue text, type text, error text, jobs bigint, is_at_least boolean, first_at timestamptz,
    last_at timestamptz, example uuid
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    IF (dead_groups.max BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', dead_groups.max::text, 'must be between 1 and 1000');
    END IF;
    RETURN QUERY
    WITH RECURSIVE met (fingerprint, number) AS (
        (SELECT d.fingerprint, 1 FROM dead_letter d WHERE d.fingerprint IS NOT NULL
            ORDER BY d.fingerprint, d.died_at, d.id LIMIT 1)
        UNION ALL
        SELECT n.fingerprint, m.number + 1 FROM met m CROSS JOIN LATERAL (
            SELECT d.fingerprint FROM dead_letter d WHERE d.fingerprint > m.fingerprint
            ORDER BY d.fingerprint, d.died_at, d.id LIMIT 1) AS n
        WHERE m.number < 1000
    ), latest AS MATERIALIZED (
        SELECT m.fingerprint, l.died_at, l.id FROM met m CROSS JOIN LATERAL (
            SELECT d.died_at, d.id FROM dead_letter d WHERE d.fingerprint = m.fingerprint
            ORDER BY d.died_at DESC, d.id DESC LIMIT 1) AS l
        ORDER BY l.died_at DESC, m.fingerprint LIMIT dead_groups.max
    )
    SELECT l.fingerprint, d.queue, d.type, left(split_part(d.errors -> -1 ->> 'error', E'\n', 1), 300), c.jobs,
        c.jobs >= 1000,
        (SELECT f.died_at FROM dead_letter f WHERE f.fingerprint = l.fingerprint ORDER BY f.died_at, f.id LIMIT 1),
        l.died_at, l.id
    FROM latest l CROSS JOIN LATERAL (SELECT * FROM dead_letter d WHERE d.id = l.id OFFSET 0) AS d
        CROSS JOIN LATERAL (SELECT count(*) AS jobs FROM (
            SELECT FROM dead_letter e WHERE e.fingerprint = l.fingerprint LIMIT 1000) AS e) AS c
    ORDER BY l.died_at DESC, l.fingerprint;
END
$$;

REVOKE ALL ON FUNCTION dead_groups(int) FROM PUBLIC;
