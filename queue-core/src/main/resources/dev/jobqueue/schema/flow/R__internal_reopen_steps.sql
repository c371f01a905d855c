-- DEAD -> FREE: steps whose dead letter was replayed. Steps that were cancelled because of them are BLOCKED again,
-- unless another dead or cancelled parent keeps them from it; what missed a parent less misses it again. Returns what
-- was taken back, as internal_fold_steps does.
CREATE OR REPLACE FUNCTION internal_reopen_steps(
    ticks flow_tick[], OUT flows uuid[], OUT hows text[], OUT numbers int[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    opened record;
    back record;
BEGIN
    flows := '{}';
    hows := '{}';
    numbers := '{}';
    IF NOT EXISTS (SELECT FROM unnest(ticks) AS t WHERE t.jobs < 0 AND t.steps IS NOT NULL) THEN
        RETURN;
    END IF;
    WITH told AS (
        SELECT DISTINCT t.flow, s.step FROM unnest(ticks) AS t CROSS JOIN LATERAL unnest(t.steps) AS s (step)
        WHERE t.jobs < 0
    ), again AS (
        UPDATE flow_step s SET state = 'FREE', ended_at = NULL, ended_n = NULL, problem = NULL
        FROM (SELECT x.tid FROM told t CROSS JOIN LATERAL (SELECT x.ctid AS tid FROM flow_step x
            WHERE x.flow = t.flow AND x.step = t.step AND x.state = 'DEAD' OFFSET 0) AS x) AS t
        WHERE s.ctid = t.tid
        RETURNING s.flow, s.step)
    SELECT array_agg(a.flow) AS flows, array_agg(a.step) AS steps INTO opened FROM again a;
    IF opened.flows IS NULL THEN
        RETURN;
    END IF;
    -- All that fell with them comes back, but for what falls again.
    WITH RECURSIVE below (flow, step) AS (
        SELECT o.flow, o.step FROM unnest(opened.flows, opened.steps) AS o (flow, step)
        UNION
        SELECT c.flow, c.step FROM below b
            CROSS JOIN LATERAL (SELECT e.flow, e.child FROM flow_edge e
                WHERE e.flow = b.flow AND e.parent = b.step OFFSET 0) AS e
            CROSS JOIN LATERAL (SELECT c.flow, c.step FROM flow_step c WHERE c.flow = e.flow AND c.step = e.child
                AND c.state = 'CANCELLED' AND c.by_parent OFFSET 0) AS c
    ), again AS (
        UPDATE flow_step s SET state = 'BLOCKED', by_parent = false, ended_at = NULL
        FROM (SELECT x.tid FROM below b CROSS JOIN LATERAL (SELECT x.ctid AS tid FROM flow_step x
            WHERE x.flow = b.flow AND x.step = b.step AND x.state = 'CANCELLED' OFFSET 0) AS x) AS b
        WHERE s.ctid = b.tid
        RETURNING s.flow, s.step)
    SELECT array_agg(a.flow) AS flows, array_agg(a.step) AS steps INTO back FROM again a;
    PERFORM internal_fall(b.flows, b.steps) FROM (
        SELECT array_agg(p.flow) AS flows, array_agg(p.step) AS steps
        FROM internal_bad_parents(back.flows, back.steps) AS p) AS b
    WHERE b.flows IS NOT NULL;
    SELECT array_agg(s.flow) AS flows, array_agg(s.step) AS steps INTO back
    FROM unnest(back.flows, back.steps) AS g (flow, step) CROSS JOIN LATERAL (
        SELECT s.flow, s.step FROM flow_step s
        WHERE s.flow = g.flow AND s.step = g.step AND s.state = 'BLOCKED' OFFSET 0) AS s;
    -- What waits behind them counts its parents anew.
    PERFORM internal_count_parents(a.flows, a.steps) FROM (
        SELECT array_agg(a.flow) AS flows, array_agg(a.step) AS steps FROM (
            SELECT g.flow, g.step FROM unnest(back.flows, back.steps) AS g (flow, step)
            UNION
            SELECT e.flow, e.child FROM unnest(opened.flows || back.flows, opened.steps || back.steps) AS g (flow, step)
                CROSS JOIN LATERAL (SELECT e.flow, e.child FROM flow_edge e
                    WHERE e.flow = g.flow AND e.parent = g.step OFFSET 0) AS e) AS a) AS a;
    flows := opened.flows || back.flows;
    hows := array_fill('DEAD'::text, ARRAY[cardinality(opened.flows)])
        || array_fill('CANCELLED'::text, ARRAY[coalesce(cardinality(back.flows), 0)]);
    numbers := array_fill(-1, ARRAY[cardinality(flows)]);
END
$$;

-- How many parents keep these steps from being free, those of them that are BLOCKED.
CREATE OR REPLACE FUNCTION internal_count_parents(flows uuid[], steps int[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    UPDATE flow_step s SET missing = c.missing FROM (
        SELECT x.tid, (SELECT count(*) FROM flow_edge e CROSS JOIN LATERAL (
                SELECT p.state FROM flow_step p WHERE p.flow = e.flow AND p.step = e.parent OFFSET 0) AS p
            WHERE e.flow = g.flow AND e.child = g.step AND e.child > 0 AND NOT (p.state = 'DONE'
                OR x.on_parent_dead = 'RUN' AND p.state IN ('DEAD', 'CANCELLED'))) AS missing
        FROM unnest(internal_count_parents.flows, internal_count_parents.steps) AS g (flow, step)
            CROSS JOIN LATERAL (SELECT x.ctid AS tid, x.on_parent_dead FROM flow_step x
                WHERE x.flow = g.flow AND x.step = g.step AND x.state = 'BLOCKED' OFFSET 0) AS x) AS c
    WHERE s.ctid = c.tid;
END
$$;

REVOKE ALL ON FUNCTION internal_count_parents(uuid[], int[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_reopen_steps(flow_tick[]) FROM PUBLIC;
