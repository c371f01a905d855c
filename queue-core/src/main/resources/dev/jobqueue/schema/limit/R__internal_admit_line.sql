-- What passes of one line, whatever its gates: as many as the narrowest lets, at most share. is_locked: nothing,
-- because somebody has its first job locked, so that its turn has to stay.
CREATE OR REPLACE FUNCTION internal_admit_line(
    line turn, of_types text[], names text[], number bigint, epochs int[], entered int, share int, max_bytes bigint,
    OUT ids uuid[], OUT bytes bigint, OUT is_locked boolean
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    head record;
    look record;
    heads record;
    passing int;
BEGIN
    ids := '{}';
    bytes := 0;
    -- The gates are those of the first job: jobs of a FIFO line may have others.
    SELECT j.type, j.limits, j.gates, j.id INTO head FROM internal_heads(line.line, epochs, 1) AS h
        CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id OFFSET 0) AS j;
    IF head.id IS NULL THEN
        RETURN;
    END IF;
    line.limits := head.limits;
    line.gates := head.gates;
    IF NOT head.limits <@ names OR head.type <> ALL (of_types) THEN
        -- For whoever handles it, and with the locks that it takes.
        line.type := head.type;
        PERFORM internal_turn_again(line, entered, clock_timestamp());
        RETURN;
    END IF;

    SELECT * INTO look FROM internal_look(line, epochs, clock);
    passing := least(share, look.room);
    IF passing > 0 THEN
        SELECT array_agg(h.tid ORDER BY h.i) AS tids, array_agg(h.id ORDER BY h.i) AS ids, sum(h.size) AS bytes
        INTO heads FROM (
            SELECT h.*, row_number() OVER w AS i,
                sum(h.size) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
                -- Several pass as long as they have the gates that were looked at. The job of one that came just now
                -- is not seen: internal_heads has a newer snapshot.
                NOT line.is_mixed OR bool_and(coalesce((SELECT j.limits = head.limits AND j.gates = head.gates
                    AND (j.type <> ALL (of_types)) IS NOT TRUE FROM job j WHERE j.id = h.id), false)) OVER (
                        w ROWS UNBOUNDED PRECEDING) AS is_alike
            -- In a line from before its limit became a FIFO, jobs are in no order that a series could have.
            FROM internal_heads(line.line, epochs,
                CASE WHEN look.is_fifo AND NOT line.is_mixed THEN 1 ELSE passing END) AS h
            WINDOW w AS (ORDER BY h.rank, h.place, h.id)) AS h
        WHERE (h.before >= max_bytes) IS NOT TRUE AND h.is_alike;
        IF heads.tids IS NULL
                OR (SELECT count(*) FROM (
                    SELECT FROM waiting w WHERE w.ctid = ANY (heads.tids) FOR UPDATE SKIP LOCKED) AS l)
                < cardinality(heads.tids)
                OR look.back_at IS NOT NULL AND NOT internal_is_back(line.line, look.back_at, epochs) THEN
            -- Another session holds one and may leave it in place: nothing behind it may overtake. Nor may it if one
            -- that had come back was given another time before it was locked.
            PERFORM internal_look_again(entered, clock);
            is_locked := true;
            RETURN;
        END IF;
        ids := heads.ids;
        bytes := heads.bytes;
        PERFORM internal_leave_line(heads.tids);
        PERFORM internal_pass(line, ids, number, clock);
    END IF;
    head := NULL;
    SELECT j.type, j.limits, j.gates, j.id INTO head FROM internal_heads(line.line, epochs, 1) AS h
        CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id OFFSET 0) AS j;
    IF head.id IS NULL THEN
        RETURN;
    END IF;
    -- Some are left. Their gates are looked at once more, after what has just passed, and may be others.
    line.limits := head.limits;
    line.gates := head.gates;
    IF NOT head.limits <@ names OR head.type <> ALL (of_types) THEN
        line.type := head.type;
        PERFORM internal_turn_again(line, entered, clock_timestamp());
        RETURN;
    END IF;
    SELECT * INTO look FROM internal_look(line, epochs, clock);
    IF (look.room > 0) IS NOT FALSE THEN
        PERFORM internal_turn_again(line, entered, clock_timestamp());
    ELSIF look.at_limit <> 'WAIT' THEN
        PERFORM internal_at_limit(line, look.name, look.gate, look.at_limit, epochs, entered);
    END IF;
    IF look.room <= 0 AND NOT look.is_told THEN
        PERFORM internal_hang(line, look.gate, number);
    END IF;
END
$$;

-- The first jobs of a line.
CREATE OR REPLACE FUNCTION internal_heads(of_line bigint, epochs int[], wanted int)
RETURNS TABLE (tid tid, id uuid, size int, rank int, place timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    IF cardinality(epochs) = 1 THEN
        RETURN QUERY SELECT w.ctid, w.id, w.size, w.rank, w.place FROM waiting w
        WHERE w.epoch = epochs[1] AND w.line = of_line ORDER BY w.rank, w.place, w.id LIMIT wanted;
        RETURN;
    END IF;
    RETURN QUERY SELECT w.tid, w.id, w.size, w.rank, w.place FROM unnest(epochs) AS e
        CROSS JOIN LATERAL (SELECT f.* FROM internal_floor(e, of_line, 3) AS f OFFSET 0) AS b
        CROSS JOIN LATERAL (SELECT w.ctid AS tid, w.id, w.size, w.rank, w.place FROM waiting w
            WHERE w.epoch = e AND w.line = of_line AND (w.rank, w.place, w.id) >= (b.rank, b.run_at, b.id)
            ORDER BY w.rank, w.place, w.id LIMIT wanted) AS w
    ORDER BY w.rank, w.place, w.id LIMIT wanted;
END
$$;

-- How many jobs of a line may pass now, NULL for any number. If none: the gate that blocks it, by its limit, whether
-- all that hold it tell this line of their end. back_at: the gate of a FIFO that is held by jobs that came back.
CREATE OR REPLACE FUNCTION internal_look(
    line turn, epochs int[], clock timestamptz, OUT room bigint, OUT is_fifo boolean, OUT name text, OUT gate bigint,
    OUT is_told boolean, OUT at_limit text, OUT back_at bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    rule job_limit;
    holding record;
    here bigint;
    told boolean;
    entries bigint;
BEGIN
    is_fifo := false;
    FOR i IN 1 .. cardinality(line.limits) LOOP
        SELECT * INTO rule FROM job_limit l WHERE l.name = line.limits[i];
        CONTINUE WHEN NOT FOUND;
        here := (SELECT t.room FROM internal_gate_time(rule, line.gates[i], clock) AS t);
        told := false;
        IF rule.running IS NOT NULL THEN
            entries := pg_stat_get_xact_tuples_returned('held_gate'::regclass);
            SELECT count(*) AS jobs, bool_and(h.tells AND h.line = internal_look.line.line) IS NOT FALSE AS is_told,
                min(h.n) AS least
            INTO holding FROM held h WHERE h.gate = line.gates[i] AND h.n >= coalesce(
                (SELECT m.floor FROM mark m WHERE m.gate = line.gates[i] ORDER BY m.n DESC LIMIT 1), 0);
            IF pg_stat_get_xact_tuples_returned('held_gate'::regclass) - entries > 500 + 3 * holding.jobs THEN
                PERFORM internal_mark(line.gates[i],
                    new_floor => coalesce(holding.least, pg_sequence_last_value('admission')));
            END IF;
            told := holding.is_told AND (here > 0) IS NOT FALSE;
            IF rule.kind <> 'FIFO' OR holding.jobs = 0 THEN
                here := least(here, rule.running - holding.jobs);
            ELSIF internal_is_back(line.line, line.gates[i], epochs) THEN
                here := least(here, rule.running);
                back_at := line.gates[i];
            ELSE
                here := 0;
            END IF;
        END IF;
        is_fifo := is_fifo OR rule.kind = 'FIFO';
        IF here <= 0 AND (room > 0) IS NOT FALSE THEN
            name := rule.name;
            gate := line.gates[i];
            is_told := told;
            at_limit := rule.at_limit;
        END IF;
        room := least(room, here);
    END LOOP;
END
$$;

-- Whether all that hold the gate of a FIFO have come back, some of them to this line: they wait at the front of their
-- lines. So none of them runs, is dead or waits for a time, and none starts elsewhere while the caller has the limit
-- locked. They are of several lines only if the limit has not been a FIFO all the time.
CREATE OR REPLACE FUNCTION internal_is_back(of_line bigint, of_gate bigint, epochs int[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    lowest constant bigint := coalesce(
        (SELECT m.floor FROM mark m WHERE m.gate = of_gate ORDER BY m.n DESC LIMIT 1), 0);
BEGIN
    RETURN EXISTS (SELECT FROM held h WHERE h.gate = of_gate AND h.n >= lowest AND h.line = of_line)
        AND NOT EXISTS (
            SELECT FROM held h LEFT JOIN LATERAL (
                SELECT internal_place_in_line(j.seq) AS place FROM job j WHERE j.id = h.id OFFSET 0) AS j ON true
            WHERE h.gate = of_gate AND h.n >= lowest
                AND NOT EXISTS (SELECT FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = h.line
                    AND w.rank = -2147483648 AND w.place = j.place AND w.id = h.id OFFSET 0));
END
$$;

-- Jobs pass the gates of their line: those that count hold them, those with a rate move on.
CREATE OR REPLACE FUNCTION internal_pass(line turn, ids uuid[], number bigint, clock timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    rule job_limit;
BEGIN
    FOR i IN 1 .. cardinality(line.limits) LOOP
        SELECT * INTO rule FROM job_limit l WHERE l.name = line.limits[i];
        IF rule.running IS NOT NULL THEN
            INSERT INTO held (gate, n, id, line, name, tells)
            SELECT line.gates[i], number, p.id, line.line, rule.name, true FROM unnest(ids) AS p (id)
            WHERE rule.kind <> 'FIFO'
                OR NOT EXISTS (SELECT FROM held h WHERE h.id = p.id AND h.gate = line.gates[i]);
        END IF;
        IF rule.rate IS NOT NULL THEN
            PERFORM internal_mark(line.gates[i], paced => greatest(clock, (
                    SELECT m.paced_to FROM mark m WHERE m.gate = line.gates[i] ORDER BY m.n DESC LIMIT 1))
                + cardinality(ids) * (rule.period / rule.rate));
        END IF;
    END LOOP;
END
$$;

-- WAITING -> no place: entries that are locked. One that was moved to another epoch just before it was locked is not
-- found any more, and must not stand in two places: the claim is given up, and may be repeated.
CREATE OR REPLACE FUNCTION internal_leave_line(tids tid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    gone bigint;
BEGIN
    DELETE FROM waiting w WHERE w.ctid = ANY (tids);
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone <> cardinality(tids) THEN
        RAISE EXCEPTION 'a line was changed while it was looked at' USING ERRCODE = '40001', HINT = 'Claim again.';
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION internal_turn_again(line turn, entered int, at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO turn (epoch, hash, at, line, type, limits, gates, is_mixed)
    VALUES (entered, line.hash, internal_turn_again.at, line.line, line.type, line.limits, line.gates,
        line.is_mixed);
END
$$;

-- Has workers claim again soon, whoever tells them.
CREATE OR REPLACE FUNCTION internal_look_again(entered int, clock timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    soon constant timestamptz := clock + interval '50 milliseconds';
BEGIN
    IF NOT EXISTS (SELECT FROM turn t WHERE t.epoch = entered AND t.hash = 0 AND t.at > clock AND t.at <= soon) THEN
        INSERT INTO turn (epoch, hash, at, limits, gates) VALUES (entered, 0, soon, '{}', '{}');
        PERFORM pg_notify(current_schema(), '');
    END IF;
END
$$;

-- A turn for a gate at the time when it opens, a little later if it lets several pass by then; one at a time.
CREATE OR REPLACE FUNCTION internal_set_timer(of_limit text, of_gate bigint, entered int, clock timestamptz)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    fires_at constant timestamptz := (
        SELECT t.opens_at + coalesce(least((l.burst - 1) * (l.period / l.rate) / 2, '20 milliseconds'), '0')
        FROM job_limit l CROSS JOIN LATERAL internal_gate_time(l, of_gate, clock) AS t WHERE l.name = of_limit);
BEGIN
    IF fires_at IS NOT NULL AND NOT EXISTS (
            SELECT FROM (SELECT m.timer FROM mark m WHERE m.gate = of_gate ORDER BY m.n DESC LIMIT 1) AS m
            WHERE m.timer > clock AND m.timer <= fires_at) THEN
        INSERT INTO turn (epoch, hash, at, limits, gates)
        VALUES (entered, 0, fires_at, ARRAY[of_limit], ARRAY[of_gate]);
        PERFORM internal_mark(of_gate, next_timer => fires_at);
        -- For the promoters, which sleep until the next time that they know of.
        PERFORM pg_notify(current_schema(), '');
    END IF;
END
$$;

-- What the limit wants done for jobs that do not pass: see set_limit. Those that somebody holds locked stay, and those
-- of a FIFO line that do not have the limit.
CREATE OR REPLACE FUNCTION internal_at_limit(
    line turn, of_limit text, of_gate bigint, at_limit text, epochs int[], entered int
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    found uuid[];
    ends uuid[];
    is_all boolean;
    told text;
BEGIN
    IF at_limit = 'CANCEL_RUNNING' THEN
        -- It may have passed just now, and have no lease yet.
        WITH oldest AS (
            SELECT j.id FROM (SELECT h.id FROM held h WHERE h.gate = of_gate ORDER BY h.n, h.id LIMIT 1) AS h
                CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id OFFSET 0) AS j
            WHERE NOT EXISTS (SELECT FROM held o JOIN job r ON r.id = o.id
                WHERE o.gate = of_gate AND r.cancel_requested_at IS NOT NULL)
            FOR UPDATE OF j SKIP LOCKED
        ), asked AS (
            UPDATE job SET cancel_requested_at = clock_timestamp() FROM oldest o WHERE job.id = o.id RETURNING job.id)
        SELECT array_agg(a.id) INTO found FROM asked a;
        PERFORM pg_notify(current_schema(), 'cancel:' || f) FROM unnest(found) AS f;
        RETURN;
    END IF;
    found := ARRAY(SELECT w.id FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = internal_at_limit.line.line
        LIMIT 1001);
    is_all := cardinality(found) <= 1000;
    IF line.is_mixed THEN
        found := ARRAY(SELECT j.id FROM job j WHERE j.id = ANY (found) AND of_gate = ANY (j.gates));
    END IF;
    ends := ARRAY(SELECT j.id FROM job j WHERE j.id = ANY (found) ORDER BY j.id FOR UPDATE SKIP LOCKED);
    IF at_limit = 'REPLACE' THEN
        ends := array_remove(ends, (SELECT j.id FROM job j WHERE j.id = ANY (found)
            ORDER BY j.created_at DESC, j.id DESC LIMIT 1));
    END IF;
    WITH gone AS (
        DELETE FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = internal_at_limit.line.line
            AND w.id = ANY (ends) RETURNING w.id)
    SELECT array_agg(g.id) INTO ends FROM gone g;
    told := format(CASE at_limit WHEN 'DROP' THEN 'Dropped: the limit %L was reached' ELSE
        'Replaced by a newer job: the limit %L was reached' END, of_limit);
    UPDATE job SET errors = internal_add_error(errors, attempt, clock_timestamp(), told) WHERE job.id = ANY (ends);
    PERFORM internal_cancel(ends, NULL);
    IF NOT is_all AND ends IS NOT NULL THEN
        PERFORM internal_turn_again(line, entered, clock_timestamp());
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_admit_line(turn, text[], text[], bigint, int[], int, int, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_heads(bigint, int[], int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_look(turn, int[], timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_is_back(bigint, bigint, int[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_pass(turn, uuid[], bigint, timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_leave_line(tid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_turn_again(turn, int, timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_look_again(int, timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_set_timer(text, bigint, int, timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_at_limit(turn, text, bigint, text, int[], int) FROM PUBLIC;
