-- What ticks mean for the steps of flows, whose rows the caller has locked. Steps end; with a dead or cancelled one end
-- those after it that are to be cancelled, however many there are in a row; others miss one parent less. Returns what
-- became of which step, -1 for what was taken back, and the steps that became FREE, whose jobs the caller publishes. No
-- step of flows that are stopping becomes free.
--
-- Rows are found one by one and changed by their place: whatever the statistics say, no plan walks over a whole table.
CREATE OR REPLACE FUNCTION internal_fold_steps(
    ticks flow_tick[], stopping uuid[], OUT flows uuid[], OUT hows text[], OUT numbers int[], OUT free_flows uuid[],
    OUT free_steps int[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    added record;
    ended record;
    fallen record;
    further record;
BEGIN
    SELECT array_agg(a.flow) AS flows, array_agg(a.step) AS steps INTO added FROM (
        SELECT t.flow, s AS step FROM unnest(ticks) AS t CROSS JOIN LATERAL unnest(t.steps) AS s
        WHERE t.what = 'ADDED') AS a;
    IF added.flows IS NOT NULL THEN
        PERFORM internal_count_parents(added.flows, added.steps);
    END IF;
    SELECT r.flows, r.hows, r.numbers INTO internal_fold_steps.flows, hows, numbers
    FROM internal_reopen_steps(ticks) AS r;
    SELECT e.flows AS flows, e.steps AS steps, e.hows AS hows INTO ended FROM internal_end_steps(ticks) AS e;

    SELECT '{}'::uuid[] AS flows, '{}'::int[] AS steps INTO fallen;
    IF added.flows IS NOT NULL OR 'DEAD' = ANY (ended.hows) OR 'CANCELLED' = ANY (ended.hows) THEN
        -- A step that was added after one that is dead already falls with it.
        SELECT f.flows AS flows, f.steps AS steps INTO fallen FROM (
            SELECT array_agg(b.flow) AS flows, array_agg(b.step) AS steps FROM (
                SELECT e.flow, e.step FROM unnest(ended.flows, ended.steps, ended.hows) AS e (flow, step, how)
                WHERE e.how <> 'DONE'
                UNION ALL
                SELECT p.flow, p.step FROM internal_bad_parents(added.flows, added.steps) AS p) AS b) AS s
            CROSS JOIN LATERAL internal_fall(s.flows, s.steps) AS f;
        PERFORM internal_give_up_waiting(l.flows, l.steps)
        FROM internal_lost_steps(ended.flows, ended.steps, added.flows, added.steps) AS l WHERE l.flows IS NOT NULL;
    END IF;

    WITH over AS (
        SELECT o.flow, o.step, o.how
        FROM unnest(ended.flows || fallen.flows, ended.steps || fallen.steps,
            ended.hows || array_fill('CANCELLED'::text, ARRAY[cardinality(fallen.flows)])) AS o (flow, step, how)
    ), fewer AS (
        SELECT c.tid, count(*) AS parents FROM over o
            CROSS JOIN LATERAL (SELECT e.flow, e.child FROM flow_edge e
                WHERE e.flow = o.flow AND e.parent = o.step OFFSET 0) AS e
            CROSS JOIN LATERAL (SELECT c.ctid AS tid, c.on_parent_dead FROM flow_step c
                WHERE c.flow = e.flow AND c.step = e.child AND c.state = 'BLOCKED' OFFSET 0) AS c
        WHERE o.how = 'DONE' OR c.on_parent_dead = 'RUN' GROUP BY c.tid
    ), counted AS (
        UPDATE flow_step s SET missing = s.missing - f.parents,
            state = CASE WHEN s.missing = f.parents AND s.flow <> ALL (stopping) THEN 'FREE' ELSE s.state END,
            freed_at = CASE WHEN s.missing = f.parents AND s.flow <> ALL (stopping) THEN clock_timestamp() END
        FROM fewer f WHERE s.ctid = f.tid
        RETURNING s.flow, s.step, s.state)
    SELECT array_agg(c.flow ORDER BY c.flow, c.step), array_agg(c.step ORDER BY c.flow, c.step)
    INTO free_flows, free_steps FROM counted c WHERE c.state = 'FREE';
    IF added.flows IS NOT NULL THEN
        WITH freed AS (
            UPDATE flow_step s SET state = 'FREE', freed_at = clock_timestamp()
            FROM (SELECT x.tid FROM unnest(added.flows, added.steps) AS a (flow, step)
                CROSS JOIN LATERAL (SELECT x.ctid AS tid FROM flow_step x WHERE x.flow = a.flow AND x.step = a.step
                    AND x.state = 'BLOCKED' AND x.missing = 0 OFFSET 0) AS x WHERE a.flow <> ALL (stopping)) AS a
            WHERE s.ctid = a.tid
            RETURNING s.flow, s.step)
        SELECT array_agg(f.flow ORDER BY f.flow, f.step) AS flows, array_agg(f.step ORDER BY f.flow, f.step) AS steps
        INTO further FROM freed f;
        free_flows := free_flows || further.flows;
        free_steps := free_steps || further.steps;
    END IF;
    internal_fold_steps.flows := internal_fold_steps.flows || ended.flows || fallen.flows;
    hows := hows || ended.hows || array_fill('CANCELLED'::text, ARRAY[cardinality(fallen.flows)]);
    numbers := numbers || array_fill(1, ARRAY[cardinality(ended.flows) + cardinality(fallen.flows)]);
END
$$;

-- BLOCKED -> CANCELLED: all that is to be cancelled with the given steps, which are dead or cancelled, however many
-- there are in a row.
CREATE OR REPLACE FUNCTION internal_fall(of_flows uuid[], of_steps int[], OUT flows uuid[], OUT steps int[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    WITH RECURSIVE falling (flow, step) AS (
        SELECT b.flow, b.step FROM unnest(of_flows, of_steps) AS b (flow, step)
        UNION
        SELECT c.flow, c.step FROM falling f
            CROSS JOIN LATERAL (SELECT e.flow, e.child FROM flow_edge e
                WHERE e.flow = f.flow AND e.parent = f.step OFFSET 0) AS e
            CROSS JOIN LATERAL (SELECT c.flow, c.step FROM flow_step c WHERE c.flow = e.flow AND c.step = e.child
                AND c.state = 'BLOCKED' AND c.on_parent_dead = 'CANCEL' OFFSET 0) AS c
    ), gone AS (
        UPDATE flow_step s SET state = 'CANCELLED', by_parent = true, ended_at = clock_timestamp()
        FROM (SELECT x.tid FROM falling f CROSS JOIN LATERAL (SELECT x.ctid AS tid FROM flow_step x
            WHERE x.flow = f.flow AND x.step = f.step AND x.state = 'BLOCKED' OFFSET 0) AS x) AS f
        WHERE s.ctid = f.tid
        RETURNING s.flow, s.step)
    SELECT coalesce(array_agg(g.flow), '{}'), coalesce(array_agg(g.step), '{}')
    INTO internal_fall.flows, internal_fall.steps FROM gone g;
END
$$;

-- Those of the parents of steps that are dead or cancelled.
CREATE OR REPLACE FUNCTION internal_bad_parents(flows uuid[], steps int[]) RETURNS TABLE (flow uuid, step int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT DISTINCT p.flow, p.step FROM unnest(flows, steps) AS g (flow, step)
        CROSS JOIN LATERAL (SELECT e.flow, e.parent FROM flow_edge e
            WHERE e.flow = g.flow AND e.child = g.step AND e.child > 0 OFFSET 0) AS e
        CROSS JOIN LATERAL (SELECT p.flow, p.step FROM flow_step p WHERE p.flow = e.flow AND p.step = e.parent
            AND p.state IN ('DEAD', 'CANCELLED') OFFSET 0) AS p;
END
$$;

-- Of the given steps, and of those before the ones added, the dead and cancelled ones that nobody can replay: they were
-- cancelled themselves, or have no dead letter, as a signal that did not come.
CREATE OR REPLACE FUNCTION internal_lost_steps(
    ended_flows uuid[], ended_steps int[], added_flows uuid[], added_steps int[], OUT flows uuid[], OUT steps int[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    WITH RECURSIVE bad (flow, step) AS (
        SELECT p.flow, p.step FROM internal_bad_parents(added_flows, added_steps) AS p
        UNION
        SELECT p.flow, p.step FROM bad b CROSS JOIN LATERAL internal_bad_parents(ARRAY[b.flow], ARRAY[b.step]) AS p
    )
    SELECT array_agg(s.flow), array_agg(s.step) INTO internal_lost_steps.flows, internal_lost_steps.steps FROM (
            SELECT e.flow, e.step FROM unnest(ended_flows, ended_steps) AS e (flow, step)
            UNION
            SELECT b.flow, b.step FROM bad b) AS g
        CROSS JOIN LATERAL (SELECT s.* FROM flow_step s WHERE s.flow = g.flow AND s.step = g.step OFFSET 0) AS s
    WHERE s.state = 'CANCELLED' AND NOT s.by_parent OR s.state = 'DEAD'
        AND NOT EXISTS (SELECT FROM dead_letter d WHERE d.id = s.job_id)
        AND NOT EXISTS (SELECT FROM job j WHERE j.id = s.job_id);
END
$$;

-- Whether a parent in this state no longer keeps a step from being free.
CREATE OR REPLACE FUNCTION internal_lets_go(parent_state text, on_parent_dead text) RETURNS boolean
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$ SELECT parent_state = 'DONE' OR on_parent_dead = 'RUN' AND parent_state IN ('DEAD', 'CANCELLED') $$;

-- FREE -> DONE, DEAD, CANCELLED, by what was told last of each step; and what ends without a job.
CREATE OR REPLACE FUNCTION internal_end_steps(
    ticks flow_tick[], OUT flows uuid[], OUT steps int[], OUT hows text[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    WITH told AS (
        SELECT DISTINCT ON (t.flow, s.step) t.flow, s.step, t.n, t.what, t.jobs
        FROM unnest(ticks) AS t CROSS JOIN LATERAL unnest(t.steps) AS s (step)
        WHERE t.what IN ('DONE', 'DEAD', 'CANCELLED') ORDER BY t.flow, s.step, t.n DESC
    ), ended AS (
        UPDATE flow_step s SET state = t.what, ended_at = clock_timestamp(), ended_n = t.n
        FROM (SELECT x.tid, t.what, t.n FROM told t CROSS JOIN LATERAL (SELECT x.ctid AS tid FROM flow_step x
            WHERE x.flow = t.flow AND x.step = t.step AND x.state = 'FREE' OFFSET 0) AS x WHERE t.jobs > 0) AS t
        WHERE s.ctid = t.tid
        RETURNING s.flow, s.step, s.state)
    SELECT coalesce(array_agg(e.flow), '{}'), coalesce(array_agg(e.step), '{}'), coalesce(array_agg(e.state), '{}')
    INTO internal_end_steps.flows, internal_end_steps.steps, hows FROM ended e;
    IF EXISTS (SELECT FROM unnest(ticks) AS t WHERE t.what IN ('SIGNAL', 'TIMER', 'TIMEOUT', 'STOP')) THEN
        SELECT internal_end_steps.flows || o.flows, internal_end_steps.steps || o.steps,
            internal_end_steps.hows || o.hows
        INTO internal_end_steps.flows, internal_end_steps.steps, hows FROM internal_end_others(ticks) AS o;
    END IF;
END
$$;

-- Signals that came, times that are over, and single steps that are to be cancelled. A signal counts before a timeout.
CREATE OR REPLACE FUNCTION internal_end_others(
    ticks flow_tick[], OUT flows uuid[], OUT steps int[], OUT hows text[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    running record;
BEGIN
    WITH told AS (
        SELECT DISTINCT ON (t.flow, s.step) t.flow, s.step, t.n, t.what
        FROM unnest(ticks) AS t CROSS JOIN LATERAL unnest(t.steps) AS s (step)
        WHERE t.what IN ('SIGNAL', 'TIMER', 'TIMEOUT', 'STOP')
        -- A step that is blocked can be cancelled, but its signal does not count yet.
        ORDER BY t.flow, s.step, t.what <> 'STOP', t.what, t.n
    ), ended AS (
        UPDATE flow_step s SET ended_at = clock_timestamp(), ended_n = t.n,
            state = CASE t.what WHEN 'STOP' THEN 'CANCELLED' WHEN 'TIMEOUT' THEN 'DEAD' ELSE 'DONE' END,
            problem = CASE t.what WHEN 'TIMEOUT' THEN format('no signal came within %s', s.spec ->> 'timeout') END
        FROM told t WHERE s.flow = t.flow AND s.step = t.step AND (s.state = 'FREE' AND s.kind <> 'job'
            OR s.state = 'BLOCKED' AND t.what = 'STOP')
        RETURNING s.flow, s.step, s.state, s.name, t.what
    ), kept AS (
        INSERT INTO flow_result (flow, step, result)
        SELECT e.flow, e.step, f.payload FROM ended e CROSS JOIN LATERAL (
            SELECT f.payload FROM flow_signal f WHERE f.flow = e.flow AND f.name = e.name ORDER BY f.n LIMIT 1) AS f
        WHERE e.what = 'SIGNAL' AND f.payload IS NOT NULL)
    SELECT array_agg(e.flow), array_agg(e.step), array_agg(e.state)
    INTO internal_end_others.flows, internal_end_others.steps, hows FROM ended e;
    -- It became free before it could be cancelled.
    SELECT array_agg(s.job_id) AS ids INTO running
    FROM unnest(ticks) AS t CROSS JOIN LATERAL unnest(t.steps) AS g (step) CROSS JOIN LATERAL (
        SELECT s.job_id FROM flow_step s WHERE s.flow = t.flow AND s.step = g.step AND s.state = 'FREE'
            AND s.kind = 'job' OFFSET 0) AS s
    WHERE t.what = 'STOP';
    IF running.ids IS NOT NULL THEN
        running.ids := internal_stop_jobs(running.ids);
        INSERT INTO flow_tick (at, flow, what, steps)
        SELECT clock_timestamp() + interval '50 milliseconds', s.flow, 'STOP', ARRAY[s.step] FROM flow_step s
        WHERE s.job_id = ANY (running.ids);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_fold_steps(flow_tick[], uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_fall(uuid[], int[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_bad_parents(uuid[], int[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_lost_steps(uuid[], int[], uuid[], int[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_lets_go(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_end_steps(flow_tick[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_end_others(flow_tick[]) FROM PUBLIC;
