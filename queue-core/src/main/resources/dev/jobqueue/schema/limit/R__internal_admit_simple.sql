-- What passes of lines with one gate each, all different, that at most counts: with a few statements for all of them,
-- so that many lines with a job each cost little more than jobs without limits. shares: how many at most, by line.
CREATE OR REPLACE FUNCTION internal_admit_simple(
    lines turn[], shares int[], number bigint, epochs int[], entered int, wanted int, max_bytes bigint,
    OUT ids uuid[], OUT bytes bigint, OUT left_alone bigint[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    several constant boolean := cardinality(epochs) > 1;
    marked constant boolean := EXISTS (SELECT FROM mark);
    entries bigint := pg_stat_get_xact_tuples_returned('held_gate'::regclass);
    -- By line, in the order given: its gate, how many may pass (NULL for any number), whether all holders tell it.
    -- The newest mark of each gate is only looked up if there are marks at all.
    look record;
    -- By job at the head of a line: its line, where it stands; NULL for one that shows that there are more.
    heads record;
    tids tid[] := '{}';
    locked tid[];
    gates bigint[] := '{}';
    names text[] := '{}';
    holders uuid[] := '{}';
    holding_lines bigint[] := '{}';
    holding_numbers int[] := '{}';
    -- By line: how many have passed; whether any are left; whether one was not to be had.
    passed int[] := array_fill(0, ARRAY[cardinality(lines)]);
    is_more boolean[] := array_fill(false, ARRAY[cardinality(lines)]);
    is_cut boolean[] := is_more;
    turned int[] := '{}';
    hanging int[] := '{}';
    i int;
BEGIN
    ids := '{}';
    bytes := 0;
    left_alone := '{}';
    SELECT array_agg(f.line) AS lines, array_agg(f.gate) AS gates, array_agg(f.name) AS names,
        array_agg(f.room) AS rooms, array_agg(f.is_told) AS told, sum(f.holding) AS holding,
        min(f.name) AS least_name, max(f.name) AS greatest_name
    INTO look FROM (
        SELECT t.line, t.gates[1] AS gate, t.limits[1] AS name, l.running - h.holding AS room, h.is_told, h.holding
        FROM unnest(internal_admit_simple.lines) WITH ORDINALITY
                AS t (hash, at, epoch, line, type, limits, gates, is_mixed, i)
            LEFT JOIN job_limit l ON l.name = t.limits[1]
            LEFT JOIN LATERAL (SELECT m.floor FROM mark m WHERE marked AND m.gate = t.gates[1]
                ORDER BY m.n DESC LIMIT 1) AS m ON true
            LEFT JOIN LATERAL (
                SELECT count(*) AS holding, bool_and(h.tells AND h.line = t.line) IS NOT FALSE AS is_told FROM held h
                WHERE l.running IS NOT NULL AND h.gate = t.gates[1] AND h.n >= coalesce(m.floor, 0)) AS h ON true
        ORDER BY t.i) AS f;
    entries := pg_stat_get_xact_tuples_returned('held_gate'::regclass) - entries;
    IF entries > 500 + 3 * look.holding + cardinality(look.lines) THEN
        PERFORM internal_mark(g, new_floor =>
            coalesce((SELECT h.n FROM held h WHERE h.gate = g ORDER BY h.n LIMIT 1), number))
        FROM unnest(look.gates) AS g;
    END IF;

    IF several THEN
        SELECT array_agg(w.i) AS lines, array_agg(w.tid) AS tids, array_agg(w.id) AS ids, array_agg(w.size) AS sizes,
            sum(w.size) AS bytes
        INTO heads FROM (
            SELECT g.i, w.id, w.size, row_number() OVER o AS k,
                CASE WHEN row_number() OVER o <= least(g.share, g.room) THEN w.tid END AS tid
            FROM unnest(look.lines, shares, look.rooms) WITH ORDINALITY AS g (line, share, room, i)
                CROSS JOIN LATERAL (SELECT w.* FROM unnest(epochs) AS e
                    LEFT JOIN LATERAL (SELECT f.rank, f.run_at, f.id FROM floor f
                        WHERE f.epoch = e AND f.hash = g.line AND f.filter = 3
                        ORDER BY f.rank DESC, f.run_at DESC, f.id DESC LIMIT 1) AS b ON true
                    CROSS JOIN LATERAL (
                        SELECT w.ctid AS tid, w.id, w.size, w.rank, w.place FROM waiting w
                        WHERE w.epoch = e AND w.line = g.line AND (w.rank, w.place, w.id) >= (
                            coalesce(b.rank, -2147483648), coalesce(b.run_at, '-infinity'),
                            coalesce(b.id, '00000000-0000-0000-0000-000000000000'))
                        -- One more than may pass.
                        ORDER BY w.rank, w.place, w.id LIMIT greatest(0, least(g.share, g.room)) + 1) AS w
                    ORDER BY w.rank, w.place, w.id LIMIT greatest(0, least(g.share, g.room)) + 1) AS w
            WINDOW o AS (PARTITION BY g.i ORDER BY w.rank, w.place, w.id)
            ORDER BY g.i, w.rank, w.place, w.id) AS w;
    ELSE
        SELECT array_agg(w.i) AS lines, array_agg(w.tid) AS tids, array_agg(w.id) AS ids, array_agg(w.size) AS sizes,
            sum(w.size) AS bytes
        INTO heads FROM (
            SELECT g.i, w.id, w.size, CASE WHEN w.k <= least(g.share, g.room) THEN w.tid END AS tid
            FROM unnest(look.lines, shares, look.rooms) WITH ORDINALITY AS g (line, share, room, i)
                CROSS JOIN LATERAL (SELECT w.tid, w.id, w.size, row_number() OVER () AS k FROM (
                    SELECT w.ctid AS tid, w.id, w.size FROM waiting w WHERE w.epoch = epochs[1] AND w.line = g.line
                    ORDER BY w.rank, w.place, w.id LIMIT greatest(0, least(g.share, g.room)) + 1) AS w) AS w
            ORDER BY g.i, w.k) AS w;
    END IF;
    -- Found without locks, then locked: the order of a line must not depend on who has its head locked.
    locked := ARRAY(SELECT w.ctid FROM waiting w WHERE w.ctid = ANY (heads.tids) FOR UPDATE SKIP LOCKED);
    IF cardinality(locked) = cardinality(array_remove(heads.tids, NULL)) THEN
        locked := NULL;
    END IF;

    IF heads.ids IS NULL THEN
        RETURN;
    ELSIF locked IS NULL AND array_position(heads.tids, NULL) IS NULL AND cardinality(heads.ids) <= wanted
            AND (heads.bytes >= max_bytes) IS NOT TRUE THEN
        -- All of them pass, and no line has more.
        ids := heads.ids;
        bytes := heads.bytes;
        PERFORM internal_leave_line(heads.tids);
        INSERT INTO held (gate, n, id, line, name, tells)
        SELECT look.gates[h.i], number, h.id, look.lines[h.i],
            CASE WHEN look.least_name = look.greatest_name THEN look.least_name ELSE look.names[h.i] END, false
        FROM unnest(heads.lines, heads.ids) AS h (i, id) WHERE look.rooms[h.i] IS NOT NULL;
        RETURN;
    END IF;
    FOR n IN 1 .. cardinality(heads.ids) LOOP
        i := heads.lines[n];
        IF heads.tids[n] IS NULL THEN
            is_more[i] := true;
        ELSIF is_cut[i] OR cardinality(ids) >= wanted OR bytes >= max_bytes
                OR locked IS NOT NULL AND heads.tids[n] <> ALL (locked) THEN
            is_cut[i] := true;
        ELSE
            ids := ids || heads.ids[n];
            tids := tids || heads.tids[n];
            bytes := bytes + heads.sizes[n];
            passed[i] := passed[i] + 1;
            IF look.rooms[i] IS NOT NULL THEN
                gates := gates || look.gates[i];
                names := names || look.names[i];
                holders := holders || heads.ids[n];
                holding_lines := holding_lines || look.lines[i];
                holding_numbers := holding_numbers || i;
            END IF;
        END IF;
    END LOOP;
    PERFORM internal_leave_line(tids);
    INSERT INTO held (gate, n, id, line, name, tells)
    SELECT h.gate, number, h.id, h.line, h.name, is_more[h.i] OR is_cut[h.i]
    FROM unnest(gates, holders, holding_lines, names, holding_numbers) AS h (gate, id, line, name, i);

    FOR i IN 1 .. cardinality(look.lines) LOOP
        IF is_cut[i] AND passed[i] = 0 THEN
            left_alone := left_alone || look.lines[i];
        ELSIF is_cut[i] OR is_more[i] AND passed[i] < look.rooms[i] IS NOT FALSE THEN
            turned := turned || i;
        ELSIF is_more[i] AND NOT look.told[i] THEN
            hanging := hanging || i;
        END IF;
    END LOOP;
    IF locked IS NOT NULL THEN
        PERFORM internal_look_again(entered, clock_timestamp());
    END IF;
    IF turned <> '{}' THEN
        INSERT INTO turn (epoch, hash, at, line, type, limits, gates, is_mixed)
        SELECT entered, t.hash, clock_timestamp(), t.line, t.type, t.limits, t.gates, t.is_mixed
        FROM unnest(internal_admit_simple.lines) WITH ORDINALITY
            AS t (hash, at, epoch, line, type, limits, gates, is_mixed, i)
        WHERE t.i = ANY (turned);
    END IF;
    IF hanging <> '{}' THEN
        PERFORM internal_hang((t.hash, t.at, t.epoch, t.line, t.type, t.limits, t.gates, t.is_mixed)::turn,
            t.gates[1], number)
        FROM unnest(internal_admit_simple.lines) WITH ORDINALITY
            AS t (hash, at, epoch, line, type, limits, gates, is_mixed, i)
        WHERE t.i = ANY (hanging);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_admit_simple(turn[], int[], bigint, int[], int, int, bigint) FROM PUBLIC;
