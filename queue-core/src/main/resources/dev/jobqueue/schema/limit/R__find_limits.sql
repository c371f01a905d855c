-- The limits there are. held: how many jobs have passed and are not done, for those that count; among 100,000 in all.
-- waiting: how many jobs wait that have the limit; an estimate where they wait in many lines (internal_count_waiting).
-- uses: an array of objects with type or queue, key and owner. blocked: how many FIFO lanes stand behind a dead letter,
-- among 10,000 jobs that hold one.
CREATE OR REPLACE FUNCTION find_limits() RETURNS TABLE (
    name text, kind text, running int, rate int, period interval, burst int, at_limit text, on_dead text,
    weights jsonb, owner text, held bigint, waiting bigint, uses jsonb, blocked bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH holders AS MATERIALIZED (
        SELECT h.name, h.id, h.gate FROM held h LIMIT 100000
    ), passed AS (
        SELECT h.name, count(*) AS jobs FROM holders h GROUP BY h.name
    ), stopped AS (
        SELECT h.name, count(DISTINCT h.gate) AS lanes FROM (
            SELECT h.* FROM holders h JOIN job_limit l ON l.name = h.name AND l.kind = 'FIFO' LIMIT 10000) AS h
        WHERE EXISTS (SELECT FROM dead_letter d WHERE d.id = h.id)
        GROUP BY h.name
    ), waiters AS (
        SELECT w.name, w.jobs FROM internal_count_waiting() AS w
    )
    SELECT l.name, l.kind, l.running, l.rate, l.period, l.burst, l.at_limit, l.on_dead, l.weights, l.owner,
        coalesce(p.jobs, 0), coalesce(w.jobs, 0),
        coalesce((SELECT jsonb_agg(jsonb_build_object('type', u.type, 'queue', u.queue, 'key', u.key, 'owner', u.owner)
            ORDER BY u.type, u.queue) FROM limit_use u WHERE u.name = l.name), '[]'),
        coalesce(s.lanes, 0)
    FROM job_limit l LEFT JOIN passed p ON p.name = l.name LEFT JOIN waiters w ON w.name = l.name
        LEFT JOIN stopped s ON s.name = l.name
    ORDER BY l.name;
END
$$;

-- How many jobs wait, by limit, at a cost that does not grow with their number: the first 200 lines are counted, and
-- stand for all, because lines are hashes. The first ones to 10,000, until that makes 20,000; each of the others to
-- 100. All jobs of a line count for the limits of its first job.
CREATE OR REPLACE FUNCTION internal_count_waiting() RETURNS TABLE (name text, jobs bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    lowest constant numeric := -9223372036854775808;
    epochs constant int[] := internal_epochs();
    reached bigint := lowest;
    share numeric := 1;
    budget bigint := 20000;
    looked int := 0;
    found record;
    in_line bigint;
    names text[] := '{}';
    counts bigint[] := '{}';
BEGIN
    LOOP
        SELECT n.line, n.id INTO found FROM internal_next_line(reached) AS n;
        EXIT WHEN found.line IS NULL;
        IF looked = 200 THEN
            share := (reached - lowest) / (-2 * lowest);
            EXIT;
        END IF;
        looked := looked + 1;
        reached := found.line;
        in_line := (SELECT count(*) FROM (SELECT FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = reached
            LIMIT greatest(100, least(budget, 10000))) AS c);
        budget := budget - in_line;
        SELECT names || j.limits, counts || array_fill(in_line, ARRAY[cardinality(j.limits)]) INTO names, counts
        FROM (SELECT j.limits FROM job j WHERE j.id = found.id UNION ALL SELECT '{}' LIMIT 1) AS j;
    END LOOP;
    RETURN QUERY
    SELECT u.name, round(sum(u.jobs) / share)::bigint FROM unnest(names, counts) AS u (name, jobs) GROUP BY u.name;
END
$$;

REVOKE ALL ON FUNCTION find_limits() FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_count_waiting() FROM PUBLIC;
