-- A line was found blocked by a gate, and looks again when there is room. Once: the oldest goes first. For callers that
-- have the limit of the gate locked.
CREATE OR REPLACE FUNCTION internal_hang(line turn, of_gate bigint, number bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    INSERT INTO hung (gate, n, hash, line, type, limits, gates, is_mixed)
    SELECT of_gate, number, internal_hang.line.hash, internal_hang.line.line, internal_hang.line.type,
        internal_hang.line.limits, internal_hang.line.gates, internal_hang.line.is_mixed
    WHERE NOT EXISTS (SELECT FROM hung h WHERE h.line = internal_hang.line.line AND h.gate = of_gate);
END
$$;

-- Has as many lines look again as these gates let jobs pass: so many of each queue and type, because nobody may work
-- some of them. Tells the workers of other queues. Those that open at a time get a turn then.
CREATE OR REPLACE FUNCTION internal_unhang(of_hash bigint, limits text[], gates bigint[], entered int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    most constant int := 1000;
    hashes bigint[];
    full_gates bigint[];
BEGIN
    IF NOT EXISTS (SELECT FROM hung) OR NOT EXISTS (SELECT FROM hung h WHERE h.gate = ANY (internal_unhang.gates)) THEN
        RETURN;
    END IF;
    WITH RECURSIVE open AS MATERIALIZED (
        SELECT g.name, g.gate, least(internal_room(g.name, g.gate, clock), most) AS room FROM (
            SELECT DISTINCT u.name, u.gate FROM unnest(internal_unhang.limits, internal_unhang.gates) AS u (name, gate)
            WHERE EXISTS (SELECT FROM hung h WHERE h.gate = u.gate)) AS g
    ), kind (name, gate, room, hash, type) AS (
        SELECT o.name, o.gate, o.room, h.hash, h.type FROM open o CROSS JOIN LATERAL (
            SELECT h.hash, h.type FROM hung h WHERE h.gate = o.gate ORDER BY h.hash, h.type, h.n LIMIT 1) AS h
        WHERE o.room > 0
        UNION ALL
        SELECT k.name, k.gate, k.room, h.hash, h.type FROM kind k CROSS JOIN LATERAL (
            SELECT h.hash, h.type FROM hung h WHERE h.gate = k.gate AND (h.hash, h.type) > (k.hash, k.type)
            ORDER BY h.hash, h.type, h.n LIMIT 1) AS h
    ), freed AS (
        DELETE FROM hung WHERE ctid = ANY (ARRAY(
            SELECT h.ctid FROM kind k CROSS JOIN LATERAL (
                SELECT h.ctid FROM hung h WHERE h.gate = k.gate AND h.hash = k.hash AND h.type = k.type
                ORDER BY h.n LIMIT k.room) AS h))
        RETURNING gate, n, hash, line, type, limits, gates, is_mixed
    ), turned AS (
        INSERT INTO turn (epoch, hash, at, line, type, limits, gates, is_mixed)
        SELECT DISTINCT ON (f.line) entered, f.hash, clock, f.line, f.type, f.limits, f.gates, f.is_mixed
        FROM freed f
        ORDER BY f.line
    )
    SELECT array_agg(DISTINCT f.hash) FILTER (WHERE f.hash <> of_hash),
        (SELECT array_agg(m.gate) FROM (SELECT c.gate FROM freed c GROUP BY c.gate HAVING count(*) >= most) AS m)
    INTO hashes, full_gates FROM freed f;
    PERFORM internal_set_timer(g.name, g.gate, entered, clock) FROM (
        SELECT DISTINCT u.name, u.gate FROM unnest(internal_unhang.limits, internal_unhang.gates) AS u (name, gate)
        WHERE EXISTS (SELECT FROM hung h WHERE h.gate = u.gate)) AS g;
    IF full_gates IS NOT NULL THEN
        INSERT INTO turn (epoch, hash, at, limits, gates)
        SELECT entered, 0, clock_timestamp(), ARRAY[g.name], array_agg(g.gate) FROM (
            SELECT DISTINCT u.name, u.gate FROM unnest(internal_unhang.limits, internal_unhang.gates) AS u (name, gate)
            WHERE u.gate = ANY (full_gates)) AS g
        GROUP BY g.name;
    END IF;
    IF hashes IS NOT NULL THEN
        PERFORM pg_notify(current_schema(), q) FROM (
            SELECT DISTINCT q FROM worker w CROSS JOIN LATERAL unnest(w.queues) AS q
            WHERE w.dead_at IS NULL AND hashtextextended(q, 0) = ANY (hashes)) AS n;
    END IF;
END
$$;

-- How many jobs a gate lets pass now; NULL for any number.
CREATE OR REPLACE FUNCTION internal_room(of_limit text, of_gate bigint, clock timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    rule job_limit;
    room bigint;
BEGIN
    SELECT * INTO rule FROM job_limit l WHERE l.name = of_limit;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    room := (SELECT t.room FROM internal_gate_time(rule, of_gate, clock) AS t);
    IF rule.running IS NOT NULL AND (room > 0) IS NOT FALSE THEN
        room := least(room, (SELECT CASE WHEN rule.kind <> 'FIFO' THEN rule.running - count(*)
                -- One line. Those that hold the gate are told, unless others hold it too: then they hang themselves.
                WHEN bool_and(EXISTS (SELECT FROM hung u WHERE u.gate = of_gate AND u.line = h.line)) IS FALSE THEN 0
                ELSE 1 END
            FROM held h WHERE h.gate = of_gate
                AND h.n >= coalesce((SELECT m.floor FROM mark m WHERE m.gate = of_gate ORDER BY m.n DESC LIMIT 1), 0)));
    END IF;
    RETURN room;
END
$$;

-- Remembers something of a gate; NULL leaves what was known. For callers that have its limit locked.
CREATE OR REPLACE FUNCTION internal_mark(
    of_gate bigint, paced timestamptz DEFAULT NULL, new_floor bigint DEFAULT NULL, next_timer timestamptz DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    known record;
BEGIN
    SELECT m.ctid AS tid, m.* INTO known FROM mark m WHERE m.gate = of_gate ORDER BY m.n DESC LIMIT 1;
    DELETE FROM mark m WHERE m.ctid = known.tid;
    INSERT INTO mark (gate, n, paced_to, floor, timer)
    VALUES (of_gate, nextval('admission'), coalesce(paced, known.paced_to), coalesce(new_floor, known.floor, 0),
        coalesce(next_timer, known.timer));
END
$$;

REVOKE ALL ON FUNCTION internal_hang(turn, bigint, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_unhang(bigint, text[], bigint[], int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_room(text, bigint, timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_mark(bigint, timestamptz, bigint, timestamptz) FROM PUBLIC;
