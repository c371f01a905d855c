-- Counts what ticks tell of flows whose rows the caller has locked, and does what follows: steps become free or are
-- cancelled, callbacks are published, flows finish or go on. Returns queues with new jobs, and the flows that finished.
-- one_by_one: what cannot be published keeps nobody else. Called with the settings of resolve, as all that it calls.
CREATE OR REPLACE FUNCTION internal_fold(
    ticks flow_tick[], one_by_one boolean, offer free_slots, OUT queues text[], OUT ended jsonb
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    moved record;
    changed record;
    finished record;
    stopping uuid[];
BEGIN
    SELECT NULL::uuid[] AS flows, NULL::text[] AS hows, NULL::int[] AS numbers, NULL::uuid[] AS free_flows,
        NULL::int[] AS free_steps INTO moved;
    IF EXISTS (SELECT FROM unnest(ticks) AS t WHERE t.steps IS NOT NULL) THEN
        -- As it is written below, before it is known what becomes of the steps.
        stopping := ARRAY(SELECT t.flow FROM (
                SELECT t.flow, bool_or(t.what = 'CANCEL') AS cancel,
                    bool_or(t.what IN ('GO_ON', 'COMPENSATE')) AS go_on,
                    bool_or(t.what = 'DEAD' AND t.jobs < 0) AS is_back
                FROM unnest(ticks) AS t GROUP BY t.flow) AS t
            CROSS JOIN LATERAL (SELECT f.cancelling, f.finished_at, f.state FROM flow f
                WHERE f.id = t.flow OFFSET 0) AS f
            WHERE f.cancelling AND NOT t.is_back
                OR (t.cancel OR t.go_on AND (f.cancelling OR f.state = 'RUNNING')) AND f.finished_at IS NULL);
        SELECT * INTO moved FROM internal_fold_steps(ticks, stopping) AS m;
    END IF;
    WITH told AS (
        SELECT t.flow, t.what, CASE WHEN t.steps IS NULL OR t.what = 'ADDED' THEN t.jobs ELSE 0 END AS jobs,
            t.what = 'DEAD' AND t.jobs > 0 AS dies, t.jobs < 0 AS is_back, t.what = 'DEAD' AND t.jobs < 0 AS is_replayed
        FROM unnest(ticks) AS t
        UNION ALL
        SELECT m.flow, m.how, m.number, m.how = 'DEAD' AND m.number > 0, false, false
        FROM unnest(moved.flows, moved.hows, moved.numbers) AS m (flow, how, number)
    ), delta AS (
        SELECT t.flow, coalesce(sum(t.jobs) FILTER (WHERE t.what = 'ADDED'), 0) AS total,
            coalesce(sum(t.jobs) FILTER (WHERE t.what = 'DONE'), 0) AS done,
            coalesce(sum(t.jobs) FILTER (WHERE t.what = 'DEAD'), 0) AS dead,
            coalesce(sum(t.jobs) FILTER (WHERE t.what = 'CANCELLED'), 0) AS cancelled,
            bool_or(t.what IN ('SEAL', 'CANCEL', 'COMPENSATE')) AS seal, bool_or(t.what = 'CANCEL') AS cancel,
            bool_or(t.what IN ('GO_ON', 'COMPENSATE')) AS go_on, bool_or(t.what = 'COMPENSATE') AS compensate,
            bool_or(t.dies) AS dies,
            bool_or(t.is_back) AS is_back, bool_or(t.is_replayed) AS is_replayed
        FROM told t GROUP BY t.flow
    ), change AS (
        UPDATE flow f SET total = f.total + d.total, done = f.done + d.done, dead = f.dead + d.dead,
            cancelled = f.cancelled + d.cancelled, sealed = f.sealed OR d.seal,
            cancelling = f.cancelling AND NOT d.is_replayed OR d.cancels AND d.was_finished IS NULL,
            compensates = f.compensates OR d.compensate AND d.was_finished IS NULL,
            told_death = f.told_death OR d.dies, round = f.round + d.goes_on::int,
            state = CASE WHEN d.goes_on THEN 'RUNNING' ELSE f.state END,
            finished_at = CASE WHEN NOT d.goes_on THEN f.finished_at END, left_until = NULL
        FROM (
            SELECT d.*, o.tid, o.finished_at AS was_finished, o.state AS was,
                d.dies AND NOT o.told_death AS tells_death,
                -- A late GO_ON must not stop a compensation.
                d.cancel OR d.go_on AND (o.cancelling OR o.state = 'RUNNING') AS cancels,
                o.finished_at IS NOT NULL AND (d.total > 0 OR d.is_back) AS goes_on
            FROM delta d CROSS JOIN LATERAL (SELECT o.ctid AS tid, o.* FROM flow o WHERE o.id = d.flow OFFSET 0) AS o
            ) AS d
        WHERE f.ctid = d.tid
        RETURNING f.id, f.parent, f.cancelling, d.cancels, d.total AS added, d.was, d.goes_on, d.tells_death)
    SELECT coalesce(array_agg(c.id), '{}') AS ids, array_agg(c.id) FILTER (WHERE c.tells_death) AS dying,
        array_agg(c.id) FILTER (WHERE c.cancelling AND (c.cancels OR c.added > 0)) AS cancels,
        array_agg(c.parent) FILTER (WHERE c.goes_on AND c.parent IS NOT NULL) AS parents,
        array_agg(c.was) FILTER (WHERE c.goes_on AND c.parent IS NOT NULL) AS states
    INTO changed FROM change c;

    IF changed.parents IS NOT NULL THEN
        INSERT INTO flow_tick (flow, what, jobs)
        SELECT p.parent, internal_outcome(p.state), -1
        FROM unnest(changed.parents, changed.states) AS p (parent, state);
    END IF;
    IF changed.cancels IS NOT NULL THEN
        PERFORM internal_go_on_cancelling(changed.cancels);
    END IF;
    queues := internal_free_steps(moved.free_flows, moved.free_steps, one_by_one, offer);
    IF changed.dying IS NOT NULL THEN
        queues := queues || internal_call_back(changed.dying, 'DEATH', one_by_one);
    END IF;
    SELECT * INTO finished FROM internal_finish(changed.ids, one_by_one) AS f;
    queues := ARRAY(SELECT DISTINCT q FROM unnest(queues || finished.queues) AS q);
    ended := finished.ended;
END
$$;

-- As what a batch or flow counts in the batch it is a member of.
CREATE OR REPLACE FUNCTION internal_outcome(state text) RETURNS text
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$ SELECT CASE state WHEN 'SUCCEEDED' THEN 'DONE' WHEN 'FAILED' THEN 'DEAD' ELSE 'CANCELLED' END $$;

-- A page of each of the flows that are being cancelled, and a tick GO_ON for the next.
CREATE OR REPLACE FUNCTION internal_go_on_cancelling(ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    of_flow uuid;
    page record;
BEGIN
    FOREACH of_flow IN ARRAY ids LOOP
        SELECT * INTO page FROM internal_cancel_page(of_flow);
        UPDATE flow f SET cancelled = f.cancelled + page.cancelled WHERE f.id = of_flow AND page.cancelled > 0;
        INSERT INTO flow_tick (at, flow, what)
        SELECT CASE page.more WHEN 'AT ONCE' THEN '-infinity' ELSE clock_timestamp() + interval '50 milliseconds' END,
            of_flow, 'GO_ON'
        WHERE page.more IS NOT NULL;
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION internal_fold(flow_tick[], boolean, free_slots) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_outcome(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_go_on_cancelling(uuid[]) FROM PUBLIC;
