-- Jobs with limits that no longer run, or wait, leave what they hold. Always leaves a turn for each of their lines and
-- gates, even if nothing seems to wait: a claim that is under way may still count these jobs and find a line blocked.
-- keeps: the FIFO lines whose place they keep: 'ALL' if they are to be tried again, 'BLOCK' if they died, NULL for
-- none. Jobs that were published before their limit became a FIFO are in no FIFO line: they would come back behind
-- others that wait for them.
CREATE OR REPLACE FUNCTION internal_leave(jobs limited[], keeps text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    ids constant uuid[] := ARRAY(SELECT j.id FROM unnest(jobs) AS j);
    kept constant text[] := CASE WHEN keeps IS NULL THEN '{}' ELSE ARRAY(
        SELECT l.name FROM job_limit l WHERE l.kind = 'FIFO' AND (keeps = 'ALL' OR l.on_dead = 'BLOCK')) END;
    unordered constant uuid[] := CASE WHEN kept = '{}' THEN '{}' ELSE ARRAY(
        SELECT j.id FROM unnest(jobs) AS j WHERE j.seq IS NULL) END;
    entered int;
    clock constant timestamptz := clock_timestamp();
    telling uuid[];
    freed_limits text[];
    freed_gates bigint[];
    lines limited[];
BEGIN
    WITH gone AS (
        DELETE FROM held h WHERE h.id = ANY (ids) AND (h.name <> ALL (kept) OR h.id = ANY (unordered))
        RETURNING h.id, h.name, h.gate, h.tells)
    SELECT array_agg(g.id) FILTER (WHERE g.tells), array_agg(g.name), array_agg(g.gate)
    INTO telling, freed_limits, freed_gates FROM gone g;
    -- The head of a FIFO line may have been what kept the others.
    lines := ARRAY(SELECT DISTINCT ON (j.line) j::limited FROM unnest(jobs) AS j
        WHERE j.seq IS NOT NULL OR j.id = ANY (telling) ORDER BY j.line);
    IF lines = '{}' AND freed_gates IS NULL THEN
        RETURN;
    END IF;
    entered := internal_enter();
    INSERT INTO turn (epoch, hash, at, line, type, limits, gates, is_mixed)
    SELECT entered, hashtextextended(j.queue, 0), clock, j.line, CASE WHEN j.seq IS NULL THEN j.type ELSE '' END,
        j.limits, j.gates, j.seq IS NOT NULL
    FROM unnest(lines) AS j;
    IF freed_gates IS NOT NULL THEN
        -- So many in a row that it is not stored in pieces.
        INSERT INTO turn (epoch, hash, at, limits, gates)
        SELECT entered, 0, clock, ARRAY[p.name], array_agg(p.gate) FROM (
            SELECT g.name, g.gate, row_number() OVER (PARTITION BY g.name) / 150 AS page
            FROM unnest(freed_limits, freed_gates) AS g (name, gate)) AS p
        GROUP BY p.name, p.page;
    END IF;
    PERFORM pg_notify(current_schema(), q) FROM (SELECT DISTINCT j.queue FROM unnest(jobs) AS j) AS n (q);
END
$$;

REVOKE ALL ON FUNCTION internal_leave(limited[], text) FROM PUBLIC;
