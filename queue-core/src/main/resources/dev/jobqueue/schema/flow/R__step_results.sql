-- What steps of the flow of a job returned, by name: those that the job comes after, or those named, of which any may
-- be a step or a group of the flow. A list for a group, in the order of the group, null where there is no result. Names
-- that nobody has are left out. NULL if the job is no step.
CREATE OR REPLACE FUNCTION step_results(job uuid, names text[] DEFAULT NULL) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    own flow_step;
BEGIN
    SELECT * INTO own FROM flow_step s WHERE s.job_id = step_results.job;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF names IS NULL THEN
        names := ARRAY(SELECT DISTINCT coalesce(s.group_name, s.name)
            FROM flow_edge e CROSS JOIN LATERAL (
                SELECT s.group_name, s.name FROM flow_step s WHERE s.flow = e.flow AND s.step = e.parent OFFSET 0) AS s
            WHERE e.flow = own.flow AND e.child = own.step AND e.child > 0);
    END IF;
    RETURN (SELECT coalesce(jsonb_object_agg(n.name, n.value), '{}') FROM (
        SELECT s.name, coalesce(internal_step_result(own.flow, s.step), 'null') AS value
        FROM unnest(step_results.names) AS g (name) JOIN flow_step s
            ON s.flow = own.flow AND s.name = g.name AND s.name <> ''
        UNION ALL
        SELECT g.name, jsonb_agg(coalesce(internal_step_result(own.flow, s.step), 'null') ORDER BY s.step)
        FROM unnest(step_results.names) AS g (name) JOIN flow_step s ON s.flow = own.flow AND s.group_name = g.name
        GROUP BY g.name) AS n);
END
$$;

CREATE OR REPLACE FUNCTION internal_step_result(of_flow uuid, of_step int) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$ SELECT r.result FROM flow_result r WHERE r.flow = of_flow AND r.step = of_step LIMIT 1 $$;

REVOKE ALL ON FUNCTION step_results(uuid, text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_step_result(uuid, int) FROM PUBLIC;
