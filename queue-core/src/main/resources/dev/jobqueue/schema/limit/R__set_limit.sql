-- A limit, or another one under the same name, for jobs that start from now on. kind LIMIT: at most so many running at
-- once, or so many starts in a period, burst of them at once, or both, for each key. FIFO: one at a time, in the order
-- of publishing, and a job that is to be tried again goes first; with running, up to so many that follow each other go
-- to one worker together, which handles them one after the other (a series). FAIR: keys take turns.
-- at_limit: what becomes of jobs that do not get in: they WAIT, all of them are cancelled (DROP) or all but the newest
-- (REPLACE), or the oldest running one is asked to stop for them (CANCEL_RUNNING). on_dead: whether a FIFO line stands
-- behind a dead letter. Without a burst, it is what comes in a tenth of a second. Returns as configure does. What an
-- operator has set, who is no owner, stays as it is when an owner sets other values.
CREATE OR REPLACE FUNCTION set_limit(
    name text, running int DEFAULT NULL, rate int DEFAULT NULL, period interval DEFAULT NULL, burst int DEFAULT NULL,
    kind text DEFAULT 'LIMIT', at_limit text DEFAULT 'WAIT', on_dead text DEFAULT 'BLOCK', weights jsonb DEFAULT NULL,
    owner text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '5s'
AS $$
#variable_conflict use_variable
DECLARE
    given job_limit;
    known job_limit;
    is_same boolean;
BEGIN
    period := coalesce(period, CASE WHEN rate IS NOT NULL THEN interval '1 second' END);
    PERFORM internal_check_limit(name, running, rate, period, burst, kind, at_limit, on_dead, weights);
    given := (name, kind, CASE kind WHEN 'FIFO' THEN coalesce(running, 1) ELSE running END, rate, period,
        coalesce(burst, CASE WHEN rate IS NOT NULL
            THEN greatest(1, ceil(rate / extract(epoch FROM period) / 10)::int) END),
        at_limit, on_dead, weights, owner);
    -- Nodes set their limits whenever they start, and must not wait then.
    SELECT * INTO known FROM job_limit AS l WHERE l.name = set_limit.name;
    IF internal_keeps_limit(known, given) THEN
        RETURN NULL;
    END IF;
    -- No claim that counts by the old rule is under way once this is committed.
    PERFORM internal_lock_limit(name);
    SELECT * INTO known FROM job_limit AS l WHERE l.name = set_limit.name FOR UPDATE;
    IF internal_keeps_limit(known, given) THEN
        RETURN NULL;
    END IF;
    is_same := internal_is_same_limit(known, given);
    INSERT INTO job_limit SELECT (given).*
    ON CONFLICT ON CONSTRAINT job_limit_pkey DO UPDATE SET kind = excluded.kind, running = excluded.running,
        rate = excluded.rate, period = excluded.period, burst = excluded.burst, at_limit = excluded.at_limit,
        on_dead = excluded.on_dead, weights = excluded.weights, owner = excluded.owner;
    IF NOT is_same THEN
        PERFORM internal_turn_limit(name);
        IF known.kind = 'FIFO' AND (kind <> 'FIFO' OR on_dead <> known.on_dead) THEN
            PERFORM internal_let_go(name);
        END IF;
    END IF;
    RETURN CASE WHEN NOT is_same AND known.owner <> owner THEN known.owner END;
END
$$;

-- Whether a limit stays as it is: it has the values and whoever sets them need not become its owner, or an operator set
-- other values and it is none who sets these.
CREATE OR REPLACE FUNCTION internal_keeps_limit(known job_limit, given job_limit) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN known.name IS NOT NULL AND CASE WHEN internal_is_same_limit(known, given)
        THEN known.owner IS NOT NULL OR given.owner IS NULL
        ELSE known.owner IS NULL AND given.owner IS NOT NULL END;
END
$$;

CREATE OR REPLACE FUNCTION internal_is_same_limit(one job_limit, other job_limit) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN (one.kind, one.running, one.rate, one.period, one.burst, one.at_limit, one.on_dead, one.weights)
        IS NOT DISTINCT FROM (other.kind, other.running, other.rate, other.period, other.burst, other.at_limit,
            other.on_dead, other.weights);
END
$$;

-- Locks a limit against all who count it, until the transaction ends. Says who has it, if that takes too long.
CREATE OR REPLACE FUNCTION internal_lock_limit(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '5s'
AS $$
DECLARE
    class constant int := hashtext('jobqueue limits of ' || current_schema());
BEGIN
    PERFORM pg_advisory_xact_lock(class, hashtext(name));
EXCEPTION WHEN lock_not_available THEN
    RAISE EXCEPTION 'limit % is locked for more than 5 seconds by %', quote_literal(name), coalesce(
            (SELECT 'the session ' || min(l.pid) FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.classid = class::oid AND l.objid = hashtext(name)::oid
                AND l.objsubid = 2 AND l.granted), 'others')
        USING ERRCODE = 'lock_not_available', HINT = 'A transaction that claimed jobs of the limit or changed it is '
            'still open: end it and call again; nothing was written.';
END
$$;

CREATE OR REPLACE FUNCTION internal_check_limit(
    name text, running int, rate int, period interval, burst int, kind text, at_limit text, on_dead text, weights jsonb
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM internal_check_name('name', name);
    PERFORM internal_check_span('period', period, 1);
    IF (kind IN ('LIMIT', 'FIFO', 'FAIR')) IS NOT TRUE THEN
        PERFORM internal_invalid('kind', kind, 'must be one of LIMIT, FIFO, FAIR');
    ELSIF (at_limit IN ('WAIT', 'DROP', 'REPLACE', 'CANCEL_RUNNING')) IS NOT TRUE
            OR kind = 'FIFO' AND at_limit <> 'WAIT' THEN
        PERFORM internal_invalid('at_limit', at_limit,
            'must be one of WAIT, DROP, REPLACE, CANCEL_RUNNING, and WAIT for FIFO');
    ELSIF (on_dead IN ('BLOCK', 'CONTINUE')) IS NOT TRUE THEN
        PERFORM internal_invalid('on_dead', on_dead, 'must be one of BLOCK, CONTINUE');
    ELSIF running < 1 OR kind = 'FIFO' AND running > 1000 THEN
        PERFORM internal_invalid('running', running::text, 'must be at least 1, and at most 1000 for FIFO');
    ELSIF rate < 1 THEN
        PERFORM internal_invalid('rate', rate::text, 'must be at least 1');
    ELSIF rate > 1000000 * extract(epoch FROM period) THEN
        -- Starts are paced by times, which differ by a microsecond at least.
        PERFORM internal_invalid('rate', rate::text, 'must be at most one in a microsecond');
    ELSIF burst < 1 OR burst IS NOT NULL AND rate IS NULL THEN
        PERFORM internal_invalid('burst', burst::text, 'must be at least 1, and belongs to a rate');
    ELSIF extract(epoch FROM period) / rate * burst > extract(epoch FROM interval '3650 days') THEN
        PERFORM internal_invalid('burst', burst::text, 'must be at most what comes in 10 years');
    ELSIF period IS NOT NULL AND rate IS NULL THEN
        PERFORM internal_invalid('period', period::text, 'belongs to a rate');
    ELSIF kind = 'LIMIT' AND running IS NULL AND rate IS NULL THEN
        PERFORM internal_invalid('running', NULL, 'must be given for a LIMIT, or a rate');
    ELSIF weights IS NOT NULL AND (jsonb_typeof(weights) <> 'object' OR EXISTS (
            SELECT FROM jsonb_each(weights) AS w WHERE jsonb_typeof(w.value) <> 'number'
                OR (w.value #>> '{}')::numeric NOT BETWEEN 1 AND 1000 OR (w.value #>> '{}') !~ '^\d+$')) THEN
        PERFORM internal_invalid('weights', weights::text,
            'must be an object of keys with a number from 1 to 1000 each');
    END IF;
END
$$;

-- Has claims look at all that may start by a changed limit.
CREATE OR REPLACE FUNCTION internal_turn_limit(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    entered constant int := internal_enter();
BEGIN
    PERFORM internal_turn_lines(ARRAY(SELECT DISTINCT h.line FROM held h WHERE h.name = internal_turn_limit.name));
    INSERT INTO turn (epoch, hash, at, limits, gates)
    SELECT entered, 0, clock_timestamp(), ARRAY[internal_turn_limit.name], array_agg(g.gate)
    FROM (SELECT d.gate, row_number() OVER () / 150 AS page FROM (
            SELECT DISTINCT h.gate FROM hung h
            WHERE h.gates[array_position(h.limits, internal_turn_limit.name)] = h.gate) AS d) AS g
    GROUP BY g.page;
    PERFORM pg_notify(current_schema(), q) FROM (
        SELECT DISTINCT unnest(w.queues) FROM worker w WHERE w.dead_at IS NULL) AS n (q);
END
$$;

-- A limit that is no FIFO any more, or does not stand behind dead letters any more: jobs that do not run no longer keep
-- their places. For callers that have the limit locked and have its lines looked at (internal_turn_limit).
CREATE OR REPLACE FUNCTION internal_let_go(of_limit text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    rule job_limit;
BEGIN
    SELECT * INTO rule FROM job_limit l WHERE l.name = of_limit;
    -- In id order, as those who settle or cancel jobs.
    DELETE FROM held WHERE ctid = ANY (ARRAY(
        SELECT h.ctid FROM held h WHERE h.name = of_limit
            AND NOT EXISTS (SELECT FROM live_job j WHERE j.id = h.id AND j.state = 'RUNNING')
            AND NOT (rule.kind IS NOT DISTINCT FROM 'FIFO' AND (EXISTS (SELECT FROM job j WHERE j.id = h.id)
                OR rule.on_dead = 'BLOCK' AND EXISTS (SELECT FROM dead_letter d WHERE d.id = h.id)))
        ORDER BY h.id FOR UPDATE OF h));
END
$$;

-- "Look at these lines", if anything waits in them. Returns their queues.
CREATE OR REPLACE FUNCTION internal_turn_lines(lines bigint[]) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    entered constant int := internal_enter();
    epochs constant int[] := internal_epochs();
BEGIN
    RETURN QUERY
    WITH found AS (
        SELECT l.line, j.queue, CASE WHEN j.seq IS NULL THEN j.type ELSE '' END AS type, j.limits, j.gates,
            j.seq IS NOT NULL AS is_mixed
        FROM unnest(lines) AS l (line)
            CROSS JOIN LATERAL (SELECT w.id FROM waiting w
                WHERE w.epoch = ANY (epochs) AND w.line = l.line LIMIT 1) AS w
            CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = w.id OFFSET 0) AS j
    ), turned AS (
        INSERT INTO turn (epoch, hash, at, line, type, limits, gates, is_mixed)
        SELECT entered, hashtextextended(f.queue, 0), clock_timestamp(), f.line, f.type, f.limits, f.gates,
            f.is_mixed FROM found f
    )
    SELECT DISTINCT f.queue FROM found f;
END
$$;

REVOKE ALL ON FUNCTION set_limit(text, int, int, interval, int, text, text, text, jsonb, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_keeps_limit(job_limit, job_limit) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_is_same_limit(job_limit, job_limit) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_lock_limit(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_limit(text, int, int, interval, int, text, text, text, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_turn_limit(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_let_go(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_turn_lines(bigint[]) FROM PUBLIC;
