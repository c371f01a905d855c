-- Has lines looked at in which jobs wait and of which nobody would tell a claim, going on where the last call ended;
-- returns how many there were. None ever should be: a net for restored dumps and rows changed by hand. Lets go what
-- jobs hold that do not run, and forgets closings and marks that are over, because keys may be without number. Moves
-- what waits for long out of old epochs, so that claims need not look into these.
CREATE OR REPLACE FUNCTION internal_tend_lines(max int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    epochs constant int[] := internal_epochs();
    over constant timestamptz := clock_timestamp() - interval '1 minute';
    looked record;
    idle bigint[];
    freed record;
BEGIN
    -- What a mark says of a time that is past makes no difference, and its floor is found again.
    DELETE FROM mark WHERE ctid = ANY (ARRAY(
        SELECT m.ctid FROM mark m WHERE coalesce(greatest(m.paced_to, m.timer), '-infinity') < over
        LIMIT 10 * internal_tend_lines.max FOR UPDATE SKIP LOCKED));
    IF NOT EXISTS (SELECT FROM held) AND NOT EXISTS (SELECT FROM waiting) AND NOT EXISTS (SELECT FROM closing) THEN
        RETURN 0;
    END IF;
    DELETE FROM closing c WHERE c.until < clock_timestamp();
    WITH gone AS (
        DELETE FROM held h WHERE h.ctid = ANY (ARRAY(
            -- At random: the oldest may be of jobs that run for long, or of lanes that stand still.
            SELECT h.ctid FROM (SELECT h.ctid, h.* FROM held h ORDER BY random() LIMIT internal_tend_lines.max) AS h
            WHERE NOT EXISTS (SELECT FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS r (id, version)
                    JOIN job j ON j.id = r.id AND j.version = r.version WHERE r.id = h.id)
                AND NOT EXISTS (SELECT FROM job_limit l WHERE l.name = h.name AND l.kind = 'FIFO' AND (
                    EXISTS (SELECT FROM job j WHERE j.id = h.id) OR l.on_dead = 'BLOCK'
                    AND EXISTS (SELECT FROM dead_letter d WHERE d.id = h.id)))
            FOR UPDATE SKIP LOCKED))
        RETURNING h.line, h.name, h.gate)
    SELECT array_agg(g.line) AS lines, array_agg(g.name) AS names, array_agg(g.gate) AS gates INTO freed FROM gone g;
    IF freed.lines IS NOT NULL THEN
        PERFORM internal_turn_lines(freed.lines);
        PERFORM internal_turn_gates(freed.names, freed.gates);
        RAISE WARNING '% places of limits were held by jobs that do not run', cardinality(freed.lines);
    END IF;

    WITH RECURSIVE found (number, line) AS (
        SELECT 0, (SELECT s.tended_to FROM setting s)
        UNION ALL
        SELECT f.number + 1, (SELECT min(w.line) FROM unnest(epochs) AS e CROSS JOIN LATERAL (
            SELECT w.line FROM waiting w WHERE w.epoch = e AND w.line > f.line
            ORDER BY w.line, w.rank, w.place, w.id LIMIT 1) AS w)
        FROM found f WHERE f.line IS NOT NULL AND f.number < internal_tend_lines.max)
    SELECT array_agg(f.line) FILTER (WHERE f.number > 0 AND f.line IS NOT NULL) AS lines,
        bool_or(f.line IS NULL) AS ends
    INTO looked FROM found f;
    UPDATE setting SET tended_to = CASE WHEN looked.ends THEN -9223372036854775808
        ELSE looked.lines[cardinality(looked.lines)] END;
    idle := ARRAY(SELECT l FROM unnest(looked.lines) AS l
        WHERE NOT EXISTS (SELECT FROM turn t WHERE t.line = l) AND NOT EXISTS (SELECT FROM hung h WHERE h.line = l)
            AND NOT EXISTS (SELECT FROM held h WHERE h.line = l AND h.tells)
            AND EXISTS (SELECT FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = l));
    IF idle <> '{}' THEN
        PERFORM pg_notify(current_schema(), q) FROM internal_turn_lines(idle) AS q;
        RAISE WARNING '% lines of jobs had no turn', cardinality(idle);
    END IF;
    IF cardinality(epochs) > 8 THEN
        PERFORM internal_enter_anew(epochs, 10 * internal_tend_lines.max);
    END IF;
    RETURN cardinality(idle);
END
$$;

-- Moves entries of lines and turns from the oldest epochs into the present one. By an update, which whoever looks for
-- an entry follows.
CREATE OR REPLACE FUNCTION internal_enter_anew(epochs int[], max int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    entered constant int := internal_enter();
BEGIN
    UPDATE waiting SET epoch = entered WHERE ctid = ANY (ARRAY(
        SELECT w.ctid FROM waiting w WHERE w.epoch = ANY (epochs[1:cardinality(epochs) - 4])
        ORDER BY w.epoch LIMIT internal_enter_anew.max FOR UPDATE SKIP LOCKED));
    UPDATE turn SET epoch = entered WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM turn t WHERE t.epoch = ANY (epochs[1:cardinality(epochs) - 4])
        ORDER BY t.epoch LIMIT internal_enter_anew.max FOR UPDATE SKIP LOCKED));
END
$$;

REVOKE ALL ON FUNCTION internal_tend_lines(int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_enter_anew(int[], int) FROM PUBLIC;
