-- A flow as a graph: its steps, at most max of them, with states and times, and which comes after which, as pairs of
-- numbers. NULL if nobody knows it. A batch has neither.
CREATE OR REPLACE FUNCTION flow_graph(flow uuid, max int DEFAULT 1000) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    of_flow constant uuid := flow_graph.flow;
    upto int;
    truncated boolean;
BEGIN
    IF (flow_graph.max BETWEEN 1 AND 100000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', flow_graph.max::text, 'must be between 1 and 100000');
    END IF;
    upto := (SELECT max(n.step) FROM (SELECT s.step FROM flow_step s WHERE s.flow = of_flow
        ORDER BY s.step LIMIT flow_graph.max) AS n);
    truncated := EXISTS (SELECT FROM flow_step s WHERE s.flow = of_flow AND s.step > upto);
    RETURN (SELECT jsonb_build_object('id', f.id, 'kind', f.kind, 'name', f.name, 'key', f.key, 'state', f.state,
        'nodes', (SELECT coalesce(jsonb_agg(jsonb_build_object('step', s.step, 'name', s.name, 'group', s.group_name,
                'kind', s.kind, 'state', s.state, 'job_id', s.job_id, 'type', s.spec ->> 'type',
                'queue', CASE WHEN s.kind = 'job' THEN coalesce(s.spec ->> 'queue', 'default') END,
                'on_parent_dead', s.on_parent_dead, 'freed_at', s.freed_at, 'ended_at', s.ended_at,
                'problem', s.problem, 'compensates', s.compensates) ORDER BY s.step), '[]')
            FROM flow_step s WHERE s.flow = of_flow AND s.step <= upto),
        'edges', (SELECT coalesce(jsonb_agg(jsonb_build_array(e.parent, e.child) ORDER BY e.parent, e.child), '[]')
            FROM flow_edge e WHERE e.flow = of_flow AND e.parent <= upto AND e.child <= upto),
        'truncated', truncated) FROM flow f WHERE f.id = of_flow);
END
$$;

REVOKE ALL ON FUNCTION flow_graph(uuid, int) FROM PUBLIC;
