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
        FROM told t WHERE s.flow = t.flow AND s.step = t.step AND s.state = 'DEAD'
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
        FROM below b WHERE s.flow = b.flow AND s.step = b.step AND s.state = 'CANCELLED'
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
    UPDATE flow_step c SET missing = (
        SELECT count(*) FROM flow_edge e CROSS JOIN LATERAL (
            SELECT p.state FROM flow_step p WHERE p.flow = e.flow AND p.step = e.parent OFFSET 0) AS p
        WHERE e.flow = c.flow AND e.child = c.step AND NOT internal_lets_go(p.state, c.on_parent_dead))
    FROM (SELECT g.flow, g.step FROM unnest(back.flows, back.steps) AS g (flow, step)
        UNION
        SELECT e.flow, e.child FROM unnest(opened.flows || back.flows, opened.steps || back.steps) AS g (flow, step)
            CROSS JOIN LATERAL (SELECT e.flow, e.child FROM flow_edge e
                WHERE e.flow = g.flow AND e.parent = g.step OFFSET 0) AS e) AS a
    WHERE c.flow = a.flow AND c.step = a.step AND c.state = 'BLOCKED' AND c.missing IS NOT NULL;
    flows := opened.flows || back.flows;
    hows := array_fill('DEAD'::text, ARRAY[cardinality(opened.flows)])
        || array_fill('CANCELLED'::text, ARRAY[coalesce(cardinality(back.flows), 0)]);
    numbers := array_fill(-1, ARRAY[cardinality(flows)]);
END
$$;

REVOKE ALL ON FUNCTION internal_reopen_steps(flow_tick[]) FROM PUBLIC;
