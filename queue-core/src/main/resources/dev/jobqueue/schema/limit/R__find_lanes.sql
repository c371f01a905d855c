-- One page of the lanes of a limit, that is, of the keys that have jobs waiting or running. held and running: how many
-- have passed, of how many at once (NULL for any number). waiting counts up to 10,000, oldest_ms is of the one that is
-- due longest among the first 1,000. opens_at: when a rate or a closing lets the next one pass; NULL if now.
-- blocked_by: the dead letter or the failed job that a FIFO line stands behind. A cursor in the last row says where to
-- go on. Lanes come in the order of their lines. One with several lines, such as those of several types, may come again
-- on a later page. only_blocked: only those that stand behind a dead letter.
CREATE OR REPLACE FUNCTION find_lanes(
    of_limit text, after text DEFAULT NULL, max int DEFAULT 50, only_blocked boolean DEFAULT false
) RETURNS TABLE (
    "limit" text, key text, held bigint, running int, waiting bigint, oldest_ms bigint, opens_at timestamptz,
    blocked_by uuid, cursor text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    rule job_limit;
    place bigint := coalesce(internal_line_after(after), -9223372036854775808);
    holders record;
    passed int := 1;
    lane record;
    gates_seen bigint[] := '{}';
    looked int := 0;
BEGIN
    IF (find_lanes.max BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', find_lanes.max::text, 'must be between 1 and 1000');
    END IF;
    SELECT * INTO rule FROM job_limit l WHERE l.name = of_limit;
    holders := internal_holders(of_limit, place, only_blocked IS TRUE);
    LOOP
        SELECT n.line, n.id INTO lane FROM (
            SELECT w.line, w.id FROM internal_next_line(place) AS w WHERE only_blocked IS NOT TRUE
            UNION ALL SELECT (holders.lines)[passed], (holders.ids)[passed]) AS n
        WHERE n.line IS NOT NULL ORDER BY n.line LIMIT 1;
        EXIT WHEN lane.line IS NULL;
        place := lane.line;
        looked := looked + 1;
        WHILE (holders.lines)[passed] <= place LOOP
            passed := passed + 1;
        END LOOP;
        SELECT j.limit_keys[p.i] AS key, j.gates[p.i] AS gate INTO lane
        FROM (SELECT limits, limit_keys, gates FROM job j WHERE j.id = lane.id
                UNION ALL SELECT limits, limit_keys, gates FROM dead_letter d WHERE d.id = lane.id LIMIT 1) AS j
            CROSS JOIN LATERAL array_position(j.limits, of_limit) AS p (i);
        IF lane.gate IS NOT NULL AND lane.gate <> ALL (gates_seen) THEN
            gates_seen := gates_seen || lane.gate;
            "limit" := of_limit;
            key := lane.key;
            running := rule.running;
            SELECT count(*) INTO held FROM held h WHERE h.gate = lane.gate;
            SELECT s.jobs, s.oldest_ms INTO waiting, oldest_ms FROM internal_waiting(of_limit, lane.gate, place) AS s;
            opens_at := (SELECT o.opens_at FROM internal_gate_time(rule, lane.gate, clock) AS o);
            blocked_by := CASE WHEN rule.kind = 'FIFO' THEN (SELECT h.id FROM held h
                WHERE h.gate = lane.gate
                    AND NOT EXISTS (SELECT FROM live_job j WHERE j.id = h.id AND j.state = 'RUNNING')
                LIMIT 1) END;
            IF cardinality(gates_seen) = find_lanes.max OR looked >= 10000 THEN
                cursor := place::text;
                RETURN NEXT;
                RETURN;
            END IF;
            RETURN NEXT;
        ELSIF looked >= 10000 THEN
            SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, place::text
            INTO "limit", key, held, running, waiting, oldest_ms, opens_at, blocked_by, cursor;
            RETURN NEXT;
            RETURN;
        END IF;
    END LOOP;
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
        ORDER BY h.line LIMIT 10001) AS n;
END
$$;

CREATE OR REPLACE FUNCTION internal_line_after(after text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN after::bigint;
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

-- How many jobs wait at a gate, and since when the oldest is due. Lines of other types are found by those that hang.
CREATE OR REPLACE FUNCTION internal_waiting(of_limit text, of_gate bigint, of_line bigint,
    OUT jobs bigint, OUT oldest_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    epochs constant int[] := internal_epochs();
    lines constant bigint[] := ARRAY(
        SELECT of_line UNION SELECT h.line FROM held h WHERE h.gate = of_gate
        UNION SELECT h.line FROM hung h WHERE h.gate = of_gate LIMIT 100);
BEGIN
    jobs := (SELECT count(*) FROM (
        SELECT FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = ANY (lines) LIMIT 10000) AS c);
    oldest_ms := (SELECT greatest(0, extract(epoch FROM clock_timestamp() - min(c.run_at)) * 1000)::bigint FROM (
        SELECT w.run_at FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = ANY (lines) LIMIT 1000) AS c);
END
$$;

REVOKE ALL ON FUNCTION find_lanes(text, text, int, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_holders(text, bigint, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_line_after(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_next_line(bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_waiting(text, bigint, bigint) FROM PUBLIC;
