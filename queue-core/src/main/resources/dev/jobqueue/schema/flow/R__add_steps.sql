-- Further steps of a flow, which come after steps that it has or after one another. Returns the ids of their jobs. A
-- flow that has finished goes on.
CREATE OR REPLACE FUNCTION add_steps(flow uuid, steps jsonb) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    known text := (SELECT f.kind FROM flow f WHERE f.id = add_steps.flow);
    last int;
    added int;
BEGIN
    IF known IS NULL THEN
        PERFORM internal_no_flow(add_steps.flow);
    ELSIF known = 'BATCH' THEN
        PERFORM internal_invalid('flow', add_steps.flow::text, 'must be a flow: members are added with add_members');
    END IF;
    -- Two who add at once would take the same numbers.
    PERFORM pg_advisory_xact_lock(hashtextextended('jobqueue steps of ' || add_steps.flow, 0));
    last := (SELECT s.step FROM flow_step s WHERE s.flow = add_steps.flow ORDER BY s.step DESC LIMIT 1);
    added := internal_add_steps(add_steps.flow, steps, false);
    IF added > 0 THEN
        INSERT INTO flow_tick (flow, what, jobs, steps) VALUES (add_steps.flow, 'ADDED', added,
            ARRAY(SELECT generate_series(coalesce(last, 0) + 1, coalesce(last, 0) + added)));
        PERFORM pg_notify(current_schema(), 'flow');
    END IF;
    RETURN QUERY SELECT s.job_id FROM flow_step s WHERE s.flow = add_steps.flow AND s.step > coalesce(last, 0)
    ORDER BY s.step;
END
$$;

REVOKE ALL ON FUNCTION add_steps(uuid, jsonb) FROM PUBLIC;
