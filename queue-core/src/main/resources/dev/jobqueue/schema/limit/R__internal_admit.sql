-- WAITING -> no place: jobs of a queue whose lines have a turn and whose gates let them pass, line by line in the order
-- of their turns; the caller leases them. Keeps the locks of their limits until the transaction ends.
-- Only in READ COMMITTED: turns are taken first, then the locks, and what is counted is read after both. So whoever
-- changes something and is not seen here has left a turn that is not taken here.
CREATE OR REPLACE FUNCTION internal_admit(
    of_queue text, of_types text[], wanted int, max_bytes bigint, INOUT locked int[], OUT ids uuid[], OUT bytes bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    of_hash constant bigint := hashtextextended(of_queue, 0);
    entered int;
    taken record;
    held_now int[];
    got record;
    missing int;
    -- Turns before that were taken in an earlier pass; their rows are walked over until the transaction ends.
    since timestamptz := '-infinity';
    -- How many turns are taken in a pass; more, the fewer jobs these bring.
    reach int := 0;
    -- Turns that were left where they are, and others that were taken with them.
    put_off tid[] := '{}';
    is_through boolean := false;
BEGIN
    ids := '{}';
    bytes := 0;
    FOR pass IN 1 .. 10 LOOP
        missing := wanted - cardinality(ids);
        EXIT WHEN missing <= 0 OR bytes >= max_bytes;
        -- Two lines at least: a line with a turn of each publish would come again and again before all others.
        SELECT * INTO taken FROM internal_turns(of_hash, of_types, greatest(reach, missing, 2), since, put_off);
        is_through := taken.tids = '{}';
        EXIT WHEN is_through;
        held_now := internal_lock_limits(taken.names, locked);
        IF held_now IS NULL THEN
            EXIT;
        END IF;
        locked := held_now;
        since := taken.upto;
        entered := coalesce(entered, internal_enter());
        SELECT * INTO got FROM internal_admit_lines(of_types, taken.lines, taken.names, entered, missing,
            max_bytes - bytes);
        ids := ids || got.ids;
        bytes := bytes + got.bytes;
        DELETE FROM turn t WHERE t.ctid = ANY (taken.tids) AND (t.line = ANY (got.left_alone)) IS NOT TRUE;
        PERFORM internal_unhang(of_hash, taken.limits || got.limits, taken.gates || got.gates, entered);
        IF got.left_alone <> '{}' THEN
            put_off := put_off || taken.tids;
        END IF;
        IF got.ids = '{}' THEN
            reach := least(1000, 4 * greatest(reach, missing));
        END IF;
    END LOOP;
    -- Somebody has the limits locked, or many lines were found full: nobody else tells of the turns that are left.
    IF NOT is_through AND cardinality(ids) < wanted AND (bytes >= max_bytes) IS NOT TRUE THEN
        PERFORM pg_notify(current_schema(), of_queue);
    END IF;
    -- A crash that forgot it would let others pass as well.
    IF ids <> '{}' AND current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END
$$;

-- The turns of a queue that are due, and those of gates: their places in the table, the lines to look at, each once and
-- in that order, the gates, and the names of all limits concerned. Goes on while few lines have many turns.
CREATE OR REPLACE FUNCTION internal_turns(
    of_hash bigint, of_types text[], wanted int, since timestamptz, put_off tid[], OUT upto timestamptz,
    OUT tids tid[], OUT lines turn[], OUT names text[], OUT limits text[], OUT gates bigint[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    epochs constant int[] := internal_epochs();
    several constant boolean := cardinality(epochs) > 1;
    entries bigint := pg_stat_get_xact_tuples_returned('turn_next'::regclass);
    found record;
    most int := wanted;
BEGIN
    SELECT array_agg(t.tid) AS tids, array_agg(t.t) AS turns INTO found FROM unnest(epochs) AS e
        CROSS JOIN LATERAL (SELECT CASE WHEN several THEN (internal_floor(e, 0, 2)).run_at
            ELSE '-infinity' END AS at OFFSET 0) AS b
        CROSS JOIN LATERAL (SELECT t.ctid AS tid, t FROM turn t
            WHERE t.epoch = e AND t.hash = 0 AND t.at >= b.at AND t.at <= clock
            ORDER BY t.at LIMIT 50 FOR UPDATE SKIP LOCKED) AS t;
    tids := coalesce(found.tids, '{}');
    SELECT array_agg(t.limits[1]), array_agg(g) INTO limits, gates
    FROM unnest(found.turns) AS t CROSS JOIN LATERAL unnest(t.gates) AS g;
    lines := '{}';
    upto := since;
    FOR round IN 1 .. 10 LOOP
        SELECT array_agg(t.tid) AS tids, array_agg(t.t) AS turns INTO found FROM unnest(epochs) AS e
            CROSS JOIN LATERAL (SELECT CASE WHEN several THEN (internal_floor(e, of_hash, 2)).run_at
                ELSE '-infinity' END AS at OFFSET 0) AS b
            CROSS JOIN LATERAL (SELECT t.ctid AS tid, t FROM turn t
                WHERE t.epoch = e AND t.hash = of_hash AND t.at >= greatest(b.at, upto) AND t.at <= clock
                    AND (of_types IS NULL OR t.type = '' OR t.type = ANY (of_types)) AND t.ctid <> ALL (tids || put_off)
                ORDER BY t.at LIMIT most FOR UPDATE SKIP LOCKED) AS t;
        EXIT WHEN found.tids IS NULL;
        tids := tids || found.tids;
        upto := greatest(upto, (SELECT max(t.at) FROM unnest(found.turns) AS t));
        lines := ARRAY(SELECT (d.hash, d.at, d.epoch, d.line, d.type, d.limits, d.gates, d.is_mixed)::turn FROM (
                SELECT DISTINCT ON (t.line) t.* FROM unnest(lines || found.turns) WITH ORDINALITY
                    AS t (hash, at, epoch, line, type, limits, gates, is_mixed, i)
                ORDER BY t.line, t.i) AS d
            ORDER BY d.i);
        EXIT WHEN cardinality(found.tids) < most OR cardinality(lines) >= wanted;
        most := 1000;
    END LOOP;
    names := ARRAY(SELECT DISTINCT n FROM unnest(limits || ARRAY(
        SELECT n FROM unnest(lines) AS t CROSS JOIN LATERAL unnest(t.limits) AS n)) AS n);
    entries := pg_stat_get_xact_tuples_returned('turn_next'::regclass) - entries;
    IF entries > (10000 + 5 * coalesce(cardinality(tids), 0)) * (1 << (cardinality(epochs) / 8)) THEN
        PERFORM internal_advance(of_hash, NULL, true, '{}');
    END IF;
END
$$;

-- What passes of the lines given, each of which has a turn. left_alone: lines that were not looked at, because enough
-- jobs were found. limits and gates: those that were looked at, if any line hangs.
CREATE OR REPLACE FUNCTION internal_admit_lines(
    of_types text[], lines turn[], names text[], entered int, wanted int, max_bytes bigint,
    OUT ids uuid[], OUT bytes bigint, OUT left_alone bigint[], OUT limits text[], OUT gates bigint[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    number constant bigint := nextval('admission');
    epochs constant int[] := internal_epochs();
    entries bigint := pg_stat_get_xact_tuples_returned('waiting_line'::regclass);
    closes constant boolean := EXISTS (SELECT FROM closing);
    weighs constant boolean := EXISTS (
        SELECT FROM job_limit l WHERE l.weights IS NOT NULL AND l.name = ANY (internal_admit_lines.names));
    simple int[];
    weights int[];
    series int[];
    share int;
    is_done boolean := false;
    got record;
BEGIN
    ids := '{}';
    bytes := 0;
    left_alone := '{}';
    IF lines = '{}' THEN
        RETURN;
    END IF;
    -- One gate that only counts, and no other line of it: these are looked at together.
    -- A line of a FIFO gives a whole series, or each of many lines would give one job, which costs most.
    SELECT array_agg(t.i) FILTER (WHERE t.is_simple AND t.of_gate = 1), array_agg(t.weight ORDER BY t.i),
        array_agg(t.series ORDER BY t.i)
    INTO simple, weights, series FROM (
        SELECT t.i, row_number() OVER (PARTITION BY t.gates[1] ORDER BY t.i) AS of_gate,
            cardinality(t.limits) = 1 AND NOT t.is_mixed AND (l.kind = 'FIFO') IS NOT TRUE AND l.rate IS NULL
                AND (l.at_limit <> 'WAIT') IS NOT TRUE
                AND NOT (closes AND EXISTS (
                    SELECT FROM closing c WHERE c.gate = t.gates[1] AND c.until > clock)) AS is_simple,
            CASE WHEN weighs THEN coalesce(internal_weight(t.limits, t.gates), 1) ELSE 1 END AS weight,
            CASE WHEN l.kind = 'FIFO' AND cardinality(t.limits) = 1 THEN l.running END AS series
        FROM unnest(lines) WITH ORDINALITY AS t (hash, at, epoch, line, type, limits, gates, is_mixed, i)
            LEFT JOIN job_limit l ON l.name = t.limits[1]) AS t;
    share := greatest(1, wanted / (SELECT sum(w) FROM unnest(weights) AS w));
    FOR i IN 1 .. cardinality(lines) LOOP
        EXIT WHEN is_done AND cardinality(simple) = cardinality(lines);
        CONTINUE WHEN is_done AND i = ANY (simple);
        IF cardinality(ids) >= wanted OR bytes >= max_bytes THEN
            left_alone := left_alone || lines[i].line;
        ELSIF i = ANY (simple) THEN
            -- All of them, where the first of them stands: what stands before it would never get past a backlog.
            SELECT * INTO got FROM internal_admit_simple(
                CASE WHEN cardinality(simple) = cardinality(lines) THEN lines
                    ELSE ARRAY(SELECT lines[s] FROM unnest(simple) AS s ORDER BY s) END,
                ARRAY(SELECT weights[s] * share FROM unnest(simple) AS s ORDER BY s), number, epochs, entered,
                wanted - cardinality(ids), max_bytes - bytes);
            is_done := true;
            left_alone := left_alone || got.left_alone;
            ids := ids || got.ids;
            bytes := bytes + got.bytes;
        ELSE
            SELECT * INTO got FROM internal_admit_line(lines[i], of_types, names, number, epochs, entered,
                least(greatest(weights[i] * share, series[i]), wanted - cardinality(ids)), max_bytes - bytes);
            IF got.is_locked THEN
                left_alone := left_alone || lines[i].line;
            END IF;
            ids := ids || got.ids;
            bytes := bytes + got.bytes;
        END IF;
    END LOOP;
    IF EXISTS (SELECT FROM hung) THEN
        SELECT array_agg(g.name), array_agg(g.gate) INTO limits, gates
        FROM unnest(lines) AS t CROSS JOIN LATERAL unnest(t.limits, t.gates) AS g (name, gate);
    END IF;
    entries := pg_stat_get_xact_tuples_returned('waiting_line'::regclass) - entries;
    IF entries > (2000 + 5 * (cardinality(ids) + cardinality(lines))) * (1 << (cardinality(epochs) / 8)) THEN
        PERFORM internal_advance(lines[1].hash, NULL, true, ARRAY(SELECT t.line FROM unnest(lines) AS t));
    END IF;
END
$$;

-- How many jobs of a line start in its turn, compared with other lines; NULL if no limit of it says so.
CREATE OR REPLACE FUNCTION internal_weight(limits text[], gates bigint[]) RETURNS int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN (SELECT max(coalesce(
            (SELECT w.value FROM jsonb_each_text(l.weights) AS w
                WHERE hashtextextended(l.name || E'\x1f' || w.key, 0) = g.gate), l.weights ->> '*'))::int
        FROM unnest(limits, gates) AS g (name, gate) JOIN job_limit l ON l.name = g.name
        WHERE l.weights IS NOT NULL);
END
$$;

REVOKE ALL ON FUNCTION internal_admit(text, text[], int, bigint, int[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_turns(bigint, text[], int, timestamptz, tid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_admit_lines(text[], turn[], text[], int, int, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_weight(text[], bigint[]) FROM PUBLIC;
