-- DEAD -> gone, with its steps and events.
CREATE OR REPLACE FUNCTION purge(id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    gone dead_letter;
BEGIN
    DELETE FROM dead_letter d WHERE d.id = purge.id RETURNING * INTO gone;
    IF NOT FOUND THEN
        PERFORM internal_no_dead_letter(id);
    ELSIF gone.line IS NOT NULL THEN
        PERFORM internal_leave(ARRAY[(gone.id, gone.queue, gone.type, gone.limits, gone.limit_keys, gone.gates,
            gone.line, gone.seq)::limited], NULL);
    END IF;
    PERFORM internal_forget(ARRAY[id]);
    PERFORM internal_free_keys(ARRAY[id], ARRAY[gone.type], ARRAY[gone.unique_key]);
    IF gone.flow_step IS NOT NULL THEN
        PERFORM internal_give_up_waiting(ARRAY[gone.flow], ARRAY[gone.flow_step]);
    END IF;
END
$$;

-- Steps that wait until these are replayed, or what was cancelled with these, which can no longer be: resolve cancels
-- them.
CREATE OR REPLACE FUNCTION internal_give_up_waiting(flows uuid[], steps int[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    WITH RECURSIVE gone (flow, step) AS (
        SELECT g.flow, g.step FROM unnest(flows, steps) AS g (flow, step)
        UNION
        SELECT c.flow, c.step FROM gone g
            CROSS JOIN LATERAL (SELECT e.flow, e.child FROM flow_edge e
                WHERE e.flow = g.flow AND e.parent = g.step OFFSET 0) AS e
            CROSS JOIN LATERAL (SELECT c.flow, c.step FROM flow_step c WHERE c.flow = e.flow AND c.step = e.child
                AND c.state = 'CANCELLED' AND c.by_parent OFFSET 0) AS c
    )
    INSERT INTO flow_tick (flow, what, steps)
    SELECT c.flow, 'STOP', array_agg(DISTINCT c.step) FROM gone g
        CROSS JOIN LATERAL (SELECT e.flow, e.child FROM flow_edge e
            WHERE e.flow = g.flow AND e.parent = g.step OFFSET 0) AS e
        CROSS JOIN LATERAL (SELECT c.flow, c.step FROM flow_step c WHERE c.flow = e.flow AND c.step = e.child
            AND c.state = 'BLOCKED' AND c.on_parent_dead = 'WAIT' OFFSET 0) AS c
    GROUP BY c.flow;
    IF FOUND THEN
        PERFORM pg_notify(current_schema(), 'flow');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION purge(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_give_up_waiting(uuid[], int[]) FROM PUBLIC;
