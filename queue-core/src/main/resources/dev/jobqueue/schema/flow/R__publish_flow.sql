-- A flow with all its steps, or none; see internal_add_steps for the form of these. Steps without parents are free at
-- once: their jobs are published like any others. If an unfinished flow has the name and key, that is returned, and
-- nothing is written. queues: where jobs may be claimed, '' for some that are due later; told already with notify.
CREATE OR REPLACE FUNCTION publish_flow(
    name text, steps jsonb, key text DEFAULT NULL, on_success jsonb DEFAULT NULL, on_finish jsonb DEFAULT NULL,
    on_death jsonb DEFAULT NULL, parent uuid DEFAULT NULL, given_id uuid DEFAULT NULL, notify boolean DEFAULT true
) RETURNS TABLE (id uuid, outcome text, queues text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    opened record;
    wanted int;
    free int[];
BEGIN
    SELECT * INTO opened FROM internal_open_flow('FLOW', publish_flow.name, publish_flow.key, publish_flow.on_success,
        publish_flow.on_finish, publish_flow.on_death, publish_flow.parent,
        CASE WHEN jsonb_typeof(publish_flow.steps) = 'array' THEN jsonb_array_length(publish_flow.steps) ELSE 0 END,
        given_id) AS o;
    publish_flow.id := opened.id;
    publish_flow.queues := '{}';
    IF NOT opened.is_new THEN
        publish_flow.outcome := 'EXISTING';
        RETURN NEXT;
        RETURN;
    END IF;
    publish_flow.outcome := 'NEW';
    wanted := internal_add_steps(opened.id, publish_flow.steps, true);
    free := ARRAY(SELECT s.step FROM flow_step s
        WHERE s.flow = opened.id AND s.step > 0 AND s.state = 'FREE' ORDER BY s.step);
    publish_flow.queues := internal_free_steps(
        array_fill(opened.id, ARRAY[cardinality(free)]), free, false);
    IF wanted = 0 THEN
        INSERT INTO flow_tick (flow, what) VALUES (opened.id, 'SEAL');
        IF notify THEN
            PERFORM pg_notify(current_schema(), 'flow');
        END IF;
    END IF;
    IF notify THEN
        PERFORM pg_notify(current_schema(), q) FROM unnest(publish_flow.queues) AS q;
    END IF;
    RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION publish_flow(text, jsonb, text, jsonb, jsonb, jsonb, uuid, uuid, boolean) FROM PUBLIC;
