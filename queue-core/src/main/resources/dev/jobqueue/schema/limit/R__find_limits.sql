-- The limits there are. held: how many jobs have passed and are not done, for those that count. waiting: how many jobs
-- wait that have the limit, among the first 10,000 that wait at all. uses: an array of objects with type or queue, key
-- and owner.
CREATE OR REPLACE FUNCTION find_limits() RETURNS TABLE (
    name text, kind text, running int, rate int, period interval, burst int, at_limit text, on_dead text,
    weights jsonb, owner text, held bigint, waiting bigint, uses jsonb
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH holders AS (
        SELECT h.name, count(*) AS jobs FROM held h GROUP BY h.name
    ), waiters AS (
        SELECT n.name, count(*) AS jobs FROM (SELECT w.id FROM waiting w LIMIT 10000) AS w
            JOIN job j ON j.id = w.id CROSS JOIN LATERAL unnest(j.limits) AS n (name)
        GROUP BY n.name
    )
    SELECT l.name, l.kind, l.running, l.rate, l.period, l.burst, l.at_limit, l.on_dead, l.weights, l.owner,
        coalesce(h.jobs, 0), coalesce(w.jobs, 0),
        coalesce((SELECT jsonb_agg(jsonb_build_object('type', u.type, 'queue', u.queue, 'key', u.key, 'owner', u.owner)
            ORDER BY u.type, u.queue) FROM limit_use u WHERE u.name = l.name), '[]')
    FROM job_limit l LEFT JOIN holders h ON h.name = l.name LEFT JOIN waiters w ON w.name = l.name
    ORDER BY l.name;
END
$$;

REVOKE ALL ON FUNCTION find_limits() FROM PUBLIC;
