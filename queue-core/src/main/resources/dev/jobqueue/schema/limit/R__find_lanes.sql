-- One page of the lanes of a limit: of the keys that have jobs waiting or running, then of those that are closed and
-- have nobody who is known to wait. held and running: how many have passed, of how many at once (NULL for any number).
-- waiting counts up to 1,000, oldest_ms is of the one among these that is due longest. opens_at: when a rate or a
-- closing lets the next one pass; NULL if now. blocked_by: the dead letter or the failed job that a FIFO line stands
-- behind, the first one. A cursor in the last row says where to go on. Lanes come in the order of their lines. One with
-- several lines, such as those of several types, may come again on a later page. only_blocked: only those that stand
-- behind a dead letter. A page looks at no more than 2,000 lines, so it may have fewer lanes than asked for, or none,
-- and a cursor.
CREATE OR REPLACE FUNCTION find_lanes(
    of_limit text, after text DEFAULT NULL, max int DEFAULT 50, only_blocked boolean DEFAULT false
) RETURNS TABLE (
    "limit" text, key text, held bigint, running int, waiting bigint, oldest_ms bigint, opens_at timestamptz,
    blocked_by uuid, cursor text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    epochs constant int[] := internal_epochs();
    rule job_limit;
    place constant bigint := internal_line_after(after);
    holders record;
    lane record;
    gates_seen bigint[] := '{}';
    looked int := 0;
    found int := 0;
BEGIN
    IF (find_lanes.max BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', find_lanes.max::text, 'must be between 1 and 1000');
    END IF;
    SELECT * INTO rule FROM job_limit l WHERE l.name = of_limit;
    holders := internal_holders(of_limit, place, only_blocked IS TRUE);
    FOR lane IN
        -- From line to line in the index of waiting and in holders, no further than is read.
        WITH RECURSIVE met (line, id, passed) AS (
            SELECT place, NULL::uuid, 1
            UNION ALL
            SELECT n.line, n.id, m.passed + (n.line IS NOT DISTINCT FROM (holders.lines)[m.passed])::int
            FROM met m CROSS JOIN LATERAL (
                SELECT f.line, f.id FROM (
                    SELECT w.line, w.id FROM unnest(epochs) AS e CROSS JOIN LATERAL (
                        SELECT w.line, w.id FROM waiting w WHERE w.epoch = e AND w.line > m.line
                        ORDER BY w.line, w.rank, w.place, w.id LIMIT 1) AS w
                    WHERE only_blocked IS NOT TRUE
                    UNION ALL SELECT (holders.lines)[m.passed], (holders.ids)[m.passed]) AS f
                WHERE f.line IS NOT NULL ORDER BY f.line LIMIT 1) AS n
        )
        SELECT m.line, j.limit_keys[p.i] AS key, j.gates[p.i] AS gate
        FROM met m LEFT JOIN LATERAL (
                SELECT limits, limit_keys, gates FROM job j WHERE j.id = m.id
                UNION ALL SELECT limits, limit_keys, gates FROM dead_letter d WHERE d.id = m.id LIMIT 1) AS j ON true
            LEFT JOIN LATERAL array_position(j.limits, of_limit) AS p (i) ON true
        WHERE m.id IS NOT NULL
        UNION ALL
        SELECT NULL, c.key, c.gate FROM (
            SELECT DISTINCT ON (c.key) c.key, c.gate FROM closing c
            WHERE c.name = of_limit AND (c.key > substr(after, 5) OR after NOT LIKE 'key:%' OR after IS NULL)
                AND c.until > clock
            ORDER BY c.key) AS c
        WHERE only_blocked IS NOT TRUE
    LOOP
        looked := looked + 1;
        IF lane.gate IS NOT NULL AND lane.gate <> ALL (gates_seen) THEN
            gates_seen := gates_seen || lane.gate;
            "limit" := of_limit;
            key := lane.key;
            running := rule.running;
            SELECT count(*) INTO held FROM held h WHERE h.gate = lane.gate;
            SELECT s.jobs, s.oldest_ms INTO waiting, oldest_ms
            FROM internal_waiting(of_limit, lane.gate, lane.line) AS s;
            -- A closed lane that has jobs was listed by its line.
            CONTINUE WHEN lane.line IS NULL AND waiting + held > 0;
            opens_at := (SELECT o.opens_at FROM internal_gate_time(rule, lane.gate, clock) AS o);
            blocked_by := CASE WHEN rule.kind = 'FIFO' THEN internal_blocker(lane.gate) END;
            found := found + 1;
            IF found = find_lanes.max OR looked >= 2000 THEN
                cursor := coalesce(lane.line::text, 'key:' || lane.key);
                RETURN NEXT;
                RETURN;
            END IF;
            RETURN NEXT;
        ELSIF looked >= 2000 THEN
            SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, coalesce(lane.line::text, 'key:' || lane.key)
            INTO "limit", key, held, running, waiting, oldest_ms, opens_at, blocked_by, cursor;
            RETURN NEXT;
            RETURN;
        END IF;
    END LOOP;
END
$$;

-- The job that a FIFO line stands behind: a dead letter, or one that waits for its time; the first one in the line.
CREATE OR REPLACE FUNCTION internal_blocker(of_gate bigint) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN (SELECT b.id FROM (
        SELECT d.id, d.seq FROM held h CROSS JOIN LATERAL (
            SELECT d.id, d.seq FROM dead_letter d WHERE d.id = h.id OFFSET 0) AS d WHERE h.gate = of_gate
        UNION ALL
        SELECT j.id, j.seq FROM held h CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id OFFSET 0) AS j
        WHERE h.gate = of_gate AND EXISTS (SELECT FROM scheduled s
            WHERE s.hash = hashtextextended(j.queue, 0) AND s.run_at = j.run_at AND s.id = j.id OFFSET 0)) AS b
    ORDER BY b.seq LIMIT 1);
END
$$;

-- The lines after this one that hold gates of a limit, in order, with a job of each; once, because no index has them in
-- this order. No more than a page looks at.
CREATE OR REPLACE FUNCTION internal_holders(
    of_limit text, after bigint, only_dead boolean, OUT lines bigint[], OUT ids uuid[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    SELECT array_agg(n.line ORDER BY n.line), array_agg(n.id ORDER BY n.line)
    INTO internal_holders.lines, internal_holders.ids
    FROM (SELECT DISTINCT ON (h.line) h.line, h.id FROM held h
        WHERE h.name = of_limit AND h.line > internal_holders.after
            AND (NOT only_dead OR EXISTS (SELECT FROM dead_letter d WHERE d.id = h.id))
        ORDER BY h.line LIMIT 2001) AS n;
END
$$;

-- After which line a page goes on; the last one if it goes on after the key of a closed lane.
CREATE OR REPLACE FUNCTION internal_line_after(after text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN CASE WHEN after LIKE 'key:%' THEN 9223372036854775807
        ELSE coalesce(after::bigint, -9223372036854775808) END;
EXCEPTION WHEN data_exception THEN
    PERFORM internal_invalid('after', after, 'must be a cursor that find_lanes returned');
    RETURN NULL;
END
$$;

-- The first line after this one in which a job waits, with a job of it.
CREATE OR REPLACE FUNCTION internal_next_line(after bigint, OUT line bigint, OUT id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    SELECT n.line, n.id INTO internal_next_line.line, internal_next_line.id FROM (
        SELECT w.line, w.id FROM unnest(internal_epochs()) AS e CROSS JOIN LATERAL (
            SELECT w.line, w.id FROM waiting w WHERE w.epoch = e AND w.line > internal_next_line.after
            ORDER BY w.line, w.rank, w.place, w.id LIMIT 1) AS w) AS n
    ORDER BY n.line LIMIT 1;
END
$$;

-- How many jobs wait at a gate, up to 1,000, and since when the oldest is due. Lines of other types are found by those
-- that hang.
CREATE OR REPLACE FUNCTION internal_waiting(of_limit text, of_gate bigint, of_line bigint,
    OUT jobs bigint, OUT oldest_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    epochs constant int[] := internal_epochs();
    lines constant bigint[] := ARRAY(
        SELECT of_line UNION SELECT h.line FROM held h WHERE h.gate = of_gate
        UNION SELECT h.line FROM hung h WHERE h.gate = of_gate LIMIT 100);
BEGIN
    SELECT count(*), CASE WHEN count(*) > 0 THEN
        greatest(0, extract(epoch FROM clock_timestamp() - min(c.run_at)) * 1000)::bigint END
    INTO jobs, oldest_ms
    FROM (SELECT w.run_at FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = ANY (lines) LIMIT 1000) AS c;
END
$$;

REVOKE ALL ON FUNCTION find_lanes(text, text, int, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_blocker(bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_holders(text, bigint, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_line_after(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_next_line(bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_waiting(text, bigint, bigint) FROM PUBLIC;
