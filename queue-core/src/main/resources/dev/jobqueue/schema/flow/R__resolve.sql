-- Takes ticks of batches and flows, counts what they tell, publishes the jobs of steps that became free and callbacks:
-- all in one transaction, so that each comes once, whoever is killed. Any node may call it at any time. Waits for
-- nobody: a flow that another session has is left to that one. A crash may forget it, ticks and all.
-- A worker that is idle may take steps as they become free: it names queues, how many slots are free for each, for each
-- a lease, which is a negative number of its own choice, and the types that it handles. It has to confirm the leases
-- that it got, at best in the same transaction.
-- folded: how many ticks were taken. more: some are left; call again, if none was taken a few milliseconds later.
-- next_at: when the next one is due. queues: where jobs may be claimed, '' for some that are due later; told already
-- with notify. ended: the flows that finished. leased: the leases under which the worker has jobs now.
CREATE OR REPLACE FUNCTION resolve(
    max int DEFAULT 1000, notify boolean DEFAULT true, worker_id uuid DEFAULT NULL, types text[] DEFAULT NULL,
    free_queues text[] DEFAULT NULL, free_slots int[] DEFAULT NULL, leases bigint[] DEFAULT NULL
) RETURNS TABLE (folded int, more boolean, next_at timestamptz, queues text[], ended jsonb, leased bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    -- Flows that other sessions have.
    busy uuid[] := '{}';
    -- How many ticks a page reads, and how many all of them have read.
    reach bigint := resolve.max;
    looked bigint := 0;
    walked constant bigint := pg_stat_get_xact_tuples_returned('flow_tick_next'::regclass)
        + pg_stat_get_xact_tuples_returned('flow_tick_xid'::regclass);
    found record;
    taken flow_tick[];
    offer free_slots;
    done record;
BEGIN
    IF (resolve.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', resolve.max::text, 'must be at least 1');
    ELSIF current_setting('transaction_isolation') <> 'read committed' AND EXISTS (SELECT FROM flow_tick) THEN
        -- Ticks are read after the lock: in an older snapshot some would be missing that others need.
        PERFORM internal_invalid('transaction_isolation', current_setting('transaction_isolation'),
            'must be read committed');
    ELSIF leases IS NOT NULL THEN
        IF (worker_id IS NOT NULL AND types IS NOT NULL AND 0 > ALL (leases) AND 0 <= ALL (free_slots)
                AND cardinality(free_queues) = cardinality(leases)
                AND cardinality(free_slots) = cardinality(leases)) IS NOT TRUE THEN
            PERFORM internal_invalid('leases', leases::text,
                'must be negative, with worker_id and types, and one for each of free_queues and free_slots');
        END IF;
        offer := (worker_id, types, free_queues, free_slots, leases);
    END IF;
    folded := 0;
    resolve.queues := '{}';
    FOR page IN 1 .. 5 LOOP
        -- From the first tick in each page: one that others depend on may have come since the last page.
        SELECT array_agg(t.tid) FILTER (WHERE t.flow <> ALL (busy)) AS tids,
            array_agg(DISTINCT t.flow) FILTER (WHERE t.flow <> ALL (busy)) AS flows,
            count(*) AS met
        INTO found FROM (
            SELECT t.tid, t.flow FROM internal_ticks(reach) AS t
            UNION ALL
            (SELECT t.ctid, t.flow FROM flow_tick t WHERE page = 1 AND t.at > '-infinity' AND t.at <= clock
                ORDER BY t.at LIMIT resolve.max)) AS t;
        looked := looked + found.met;
        EXIT WHEN found.met < reach AND found.tids IS NULL;
        taken := CASE WHEN found.tids IS NULL THEN '{}' ELSE internal_take_ticks(found.tids, found.flows, clock) END;
        IF taken <> '{}' THEN
            SELECT * INTO done FROM internal_fold_all(taken, offer, clock);
            folded := cardinality(taken);
            resolve.queues := done.queues;
            resolve.ended := done.ended;
            leased := (SELECT array_agg(l.number) FROM lease l WHERE l.number = ANY (leases));
            EXIT;
        END IF;
        -- All of these are with others: look behind them.
        busy := busy || found.flows;
        reach := least(4 * reach, 10::bigint * resolve.max);
    END LOOP;
    more := EXISTS (SELECT FROM internal_ticks(100) AS t WHERE NOT EXISTS (
        SELECT FROM flow f WHERE f.id = t.flow AND f.left_until > clock));
    IF pg_stat_get_xact_tuples_returned('flow_tick_next'::regclass)
            + pg_stat_get_xact_tuples_returned('flow_tick_xid'::regclass) - walked - looked > 10000 + 5 * folded THEN
        PERFORM internal_mark_ticks();
    END IF;
    next_at := (SELECT greatest(t.at, clock + interval '20 milliseconds') FROM flow_tick t WHERE t.at > '-infinity'
        ORDER BY t.at LIMIT 1);
    IF notify THEN
        PERFORM pg_notify(current_schema(), q) FROM unnest(resolve.queues) AS q;
    END IF;
    RETURN NEXT;
END
$$;

-- The first ticks in their order, but for those that are for later. A tick comes before those that depend on it.
CREATE OR REPLACE FUNCTION internal_ticks(most bigint) RETURNS TABLE (tid tid, flow uuid, n bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    mark flow_mark;
BEGIN
    SELECT * INTO mark FROM flow_mark m ORDER BY m.number DESC LIMIT 1;
    IF NOT FOUND THEN
        RETURN QUERY SELECT t.ctid, t.flow, t.n FROM flow_tick t WHERE t.at = '-infinity'
        ORDER BY t.n LIMIT most;
        RETURN;
    END IF;
    RETURN QUERY SELECT u.tid, u.flow, u.n FROM (
        (SELECT t.ctid AS tid, t.flow, t.n FROM flow_tick t
            WHERE t.at = '-infinity' AND t.n > mark.upto ORDER BY t.n LIMIT most)
        UNION ALL
        -- OFFSET 0 keeps the planner from looking them up by their numbers, where those are that were taken.
        SELECT t.tid, t.flow, t.n FROM (
            SELECT t.ctid AS tid, t.* FROM flow_tick t WHERE t.xid >= pg_snapshot_xmax(mark.seen) OFFSET 0) AS t
        WHERE t.at = '-infinity' AND t.n <= mark.upto
        UNION ALL
        SELECT t.tid, t.flow, t.n FROM pg_snapshot_xip(mark.seen) AS x CROSS JOIN LATERAL (
            SELECT t.ctid AS tid, t.* FROM flow_tick t WHERE t.xid = x OFFSET 0) AS t
        WHERE t.at = '-infinity' AND t.n <= mark.upto) AS u
    ORDER BY u.n LIMIT most;
END
$$;

-- Notes how far ticks are taken. The snapshot and what it shows belong to one statement.
CREATE OR REPLACE FUNCTION internal_mark_ticks() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    made bigint;
BEGIN
    INSERT INTO flow_mark (upto, seen)
    SELECT coalesce(least((SELECT t.n FROM internal_ticks(1) AS t) - 1, l.last), l.last),
        pg_current_snapshot()
    FROM (SELECT pg_sequence_last_value(pg_get_serial_sequence('flow_tick', 'n')::regclass)) AS l (last)
    RETURNING number INTO made;
    DELETE FROM flow_mark m WHERE m.number < made;
END
$$;

-- Locks the flows that nobody else has, and takes the given ticks of these, and of flows that are gone. A tick that
-- somebody else has taken meanwhile is not among them.
CREATE OR REPLACE FUNCTION internal_take_ticks(tids tid[], flows uuid[], clock timestamptz) RETURNS flow_tick[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    held uuid[] := ARRAY(SELECT f.id FROM flow f
        WHERE f.id = ANY (internal_take_ticks.flows) AND (f.left_until > internal_take_ticks.clock) IS NOT TRUE
        ORDER BY f.id FOR UPDATE SKIP LOCKED);
    taken flow_tick[];
BEGIN
    IF cardinality(held) < cardinality(internal_take_ticks.flows) THEN
        held := held || ARRAY(SELECT g FROM unnest(internal_take_ticks.flows) AS g
            WHERE NOT EXISTS (SELECT FROM flow f WHERE f.id = g));
    END IF;
    IF held = '{}' THEN
        RETURN '{}';
    END IF;
    WITH gone AS (
        DELETE FROM flow_tick t WHERE t.ctid = ANY (tids) AND t.flow = ANY (held)
        RETURNING t.at, t.n, t.flow, t.what, t.jobs, t.steps, t.xid)
    SELECT array_agg((g.at, g.n, g.flow, g.what, g.jobs, g.steps, g.xid)::flow_tick ORDER BY g.n) INTO taken
    FROM gone g;
    RETURN coalesce(taken, '{}');
END
$$;

-- Ticks that cannot be counted, such as those of a damaged row, must not keep the others: those of their flow are left
-- for ten seconds.
CREATE OR REPLACE FUNCTION internal_fold_all(
    ticks flow_tick[], offer free_slots, clock timestamptz, OUT queues text[], OUT ended jsonb
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    of_flow uuid;
    own flow_tick[];
    done record;
BEGIN
    BEGIN
        SELECT f.queues, f.ended INTO queues, ended FROM internal_fold(ticks, false, offer) AS f;
        RETURN;
    EXCEPTION WHEN OTHERS THEN
        queues := '{}';
        ended := NULL;
    END;
    FOR of_flow, own IN SELECT t.flow, array_agg(t ORDER BY t.n) FROM unnest(ticks) AS t GROUP BY t.flow LOOP
        BEGIN
            SELECT * INTO done FROM internal_fold(own, true, NULL) AS f;
            queues := queues || done.queues;
            ended := CASE WHEN ended IS NULL THEN done.ended ELSE ended || coalesce(done.ended, '[]') END;
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING 'flow % cannot be resolved: %', of_flow, SQLERRM;
            UPDATE flow f SET problem = SQLERRM, left_until = clock + interval '10 seconds' WHERE f.id = of_flow;
            INSERT INTO flow_tick (at, n, flow, what, jobs, steps) OVERRIDING SYSTEM VALUE
            SELECT clock + interval '10 seconds', t.n, t.flow, t.what, t.jobs, t.steps FROM unnest(own) AS t;
        END;
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION resolve(int, boolean, uuid, text[], text[], int[], bigint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_ticks(bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_mark_ticks() FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_take_ticks(tid[], uuid[], timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_fold_all(flow_tick[], free_slots, timestamptz) FROM PUBLIC;
