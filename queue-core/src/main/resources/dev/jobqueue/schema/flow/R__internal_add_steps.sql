-- Writes steps and edges, or refuses them (JQ422). Steps are objects with
--   name            its own within the flow; or left out for one of a group, which is then named group[0], group[1] ...
--   group           of steps that others name together
--   kind            job (default), signal, timer
--   job             as the JSON form of publish_many has it
--   timeout         of a signal: how long it waits at most
--   delay, run_at   of a timer
--   after           names of steps and groups
--   on_parent_dead  CANCEL (default), RUN, WAIT
--   compensate      a job that undoes the step
-- Returns how many there are. is_new: nobody knows of the flow yet, so that steps without parents are free at once.
CREATE OR REPLACE FUNCTION internal_add_steps(of_flow uuid, steps jsonb, is_new boolean) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = on SET enable_nestloop = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    last constant int := CASE WHEN is_new THEN 0 ELSE coalesce((SELECT s.step FROM flow_step s
        WHERE s.flow = of_flow ORDER BY s.step DESC LIMIT 1), 0) END;
    given record;
    edges record;
BEGIN
    PERFORM internal_check_steps(steps);
    SELECT array_agg(coalesce(g.name, g.group_name || '[' || g.nth || ']') ORDER BY g.i) AS names,
        array_agg(g.group_name ORDER BY g.i) AS groups, array_agg(g.kind ORDER BY g.i) AS kinds,
        array_agg(g.spec ORDER BY g.i) AS specs, array_agg(g.policy ORDER BY g.i) AS policies,
        array_agg(g.compensation ORDER BY g.i) AS compensations, array_agg(g.after ORDER BY g.i) AS afters
    INTO given FROM (
        SELECT s.i, s.v ->> 'name' AS name, s.v ->> 'group' AS group_name, coalesce(s.v ->> 'kind', 'job') AS kind,
            row_number() OVER (PARTITION BY s.v ->> 'group' ORDER BY s.i) - 1 + CASE WHEN is_new THEN 0
                ELSE (SELECT count(*) FROM flow_step o WHERE o.flow = of_flow AND o.group_name = s.v ->> 'group') END
                AS nth,
            CASE WHEN s.v ->> 'kind' IN ('signal', 'timer') THEN internal_keep_spec(jsonb_strip_nulls(
                    jsonb_build_object('timeout', s.v -> 'timeout', 'delay', s.v -> 'delay',
                        'run_at', s.v -> 'run_at')))
                WHEN s.v -> 'job' ? 'run_at' THEN internal_keep_spec(s.v -> 'job') ELSE s.v -> 'job' END AS spec,
            coalesce(s.v ->> 'on_parent_dead', 'CANCEL') AS policy,
            CASE WHEN jsonb_typeof(s.v -> 'compensate') = 'object' THEN internal_keep_spec(s.v -> 'compensate') END
                AS compensation,
            CASE WHEN jsonb_typeof(s.v -> 'after') = 'array' THEN s.v -> 'after' ELSE '[]' END AS after
        FROM jsonb_array_elements(steps) WITH ORDINALITY AS s (v, i)) AS g;
    IF given.names IS NULL THEN
        RETURN 0;
    END IF;
    PERFORM internal_check_step_names(of_flow, given.names, given.groups, is_new);

    WITH named AS (
        SELECT g.name, last + g.i::int AS step FROM unnest(given.names) WITH ORDINALITY AS g (name, i)
        UNION ALL
        SELECT g.name, last + g.i::int FROM unnest(given.groups) WITH ORDINALITY AS g (name, i)
        WHERE g.name IS NOT NULL
        UNION ALL
        SELECT s.name, s.step FROM flow_step s WHERE NOT is_new AND s.flow = of_flow
        UNION ALL
        SELECT s.group_name, s.step FROM flow_step s
        WHERE NOT is_new AND s.flow = of_flow AND s.group_name IS NOT NULL
    ), wanted AS (
        SELECT DISTINCT last + a.i::int AS child, n AS name FROM unnest(given.afters) WITH ORDINALITY AS a (after, i)
            CROSS JOIN LATERAL jsonb_array_elements_text(a.after) AS n
    ), met AS (
        SELECT DISTINCT w.child, w.name, n.step AS parent FROM wanted w LEFT JOIN named n ON n.name = w.name
    )
    SELECT array_agg(m.parent) FILTER (WHERE m.parent IS NOT NULL) AS parents,
        array_agg(m.child) FILTER (WHERE m.parent IS NOT NULL) AS children,
        min(m.name) FILTER (WHERE m.parent IS NULL) AS unknown,
        bool_or(m.parent >= m.child) AS may_be_cyclic
    INTO edges FROM met m;
    IF edges.unknown IS NOT NULL THEN
        PERFORM internal_invalid('after', edges.unknown, 'must be the name of a step or group of the flow');
    ELSIF edges.may_be_cyclic THEN
        PERFORM internal_refuse_cycle(given.names, edges.parents, edges.children, last);
    END IF;

    INSERT INTO flow_step (flow, step, name, group_name, kind, state, job_id, spec, compensation, on_parent_dead,
        missing, freed_at)
    SELECT of_flow, last + g.i, g.name, g.group_name, g.kind,
        CASE WHEN is_new AND e.parents IS NULL THEN 'FREE' ELSE 'BLOCKED' END, uuidv7(), g.spec, g.compensation,
        g.policy, CASE WHEN is_new THEN coalesce(e.parents, 0) END,
        CASE WHEN is_new AND e.parents IS NULL THEN clock_timestamp() END
    FROM unnest(given.names, given.groups, given.kinds, given.specs, given.compensations, given.policies)
            WITH ORDINALITY AS g (name, group_name, kind, spec, compensation, policy, i)
        LEFT JOIN (SELECT e.child, count(DISTINCT e.parent) AS parents
            FROM unnest(edges.parents, edges.children) AS e (parent, child) GROUP BY e.child) AS e
            ON e.child = last + g.i;
    INSERT INTO flow_edge (flow, parent, child)
    SELECT DISTINCT of_flow, e.parent, e.child FROM unnest(edges.parents, edges.children) AS e (parent, child);
    RETURN cardinality(given.names);
END
$$;

-- Refuses steps of a wrong form.
CREATE OR REPLACE FUNCTION internal_check_steps(steps jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    known constant text[] :=
        '{name,group,kind,job,timeout,delay,run_at,after,on_parent_dead,compensate}';
    bad record;
BEGIN
    IF jsonb_typeof(steps) IS DISTINCT FROM 'array' THEN
        PERFORM internal_invalid('steps', jsonb_typeof(steps), 'must be a JSON array of objects');
    END IF;
    SELECT s.i, k INTO bad FROM jsonb_array_elements(steps) WITH ORDINALITY AS s (v, i)
        LEFT JOIN LATERAL jsonb_object_keys(CASE jsonb_typeof(s.v) WHEN 'object' THEN s.v ELSE '{}' END) AS k ON true
    WHERE jsonb_typeof(s.v) <> 'object' OR k <> ALL (known) ORDER BY s.i LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid(format('steps[%s]', bad.i), bad.k,
            format('must be an object with no other keys than %s', array_to_string(known, ', ')));
    END IF;
    SELECT s.i, s.name, s.rule INTO bad FROM (
        SELECT g.i, coalesce(g.v ->> 'name', g.v ->> 'group') AS name, CASE
            WHEN coalesce(g.v ->> 'name', g.v ->> 'group') IS NULL THEN 'must have a name, or a group'
            WHEN k.kind NOT IN ('job', 'signal', 'timer') THEN 'must be of the kind job, signal or timer'
            WHEN coalesce(g.v ->> 'on_parent_dead', 'CANCEL') NOT IN ('CANCEL', 'RUN', 'WAIT')
                THEN 'must have CANCEL, RUN or WAIT as on_parent_dead'
            WHEN (k.kind = 'job') <> (coalesce(jsonb_typeof(g.v -> 'job'), 'null') = 'object')
                THEN 'must have a job if it is of the kind job, and only then'
            WHEN k.kind <> 'timer' AND coalesce(g.v ->> 'delay', g.v ->> 'run_at') IS NOT NULL
                THEN 'must have delay or run_at only if it is a timer; that of a job belongs into job'
            WHEN k.kind = 'timer' AND (g.v ->> 'delay' IS NULL) = (g.v ->> 'run_at' IS NULL)
                THEN 'must have a delay or a run_at'
            WHEN k.kind <> 'signal' AND g.v ->> 'timeout' IS NOT NULL
                THEN 'must have a timeout only if it waits for a signal; that of a job belongs into job'
            WHEN coalesce(jsonb_typeof(g.v -> 'after'), 'null') NOT IN ('null', 'array')
                OR jsonb_path_exists(g.v, 'strict $.after[*] ? (@.type() != "string")', silent => true)
                THEN 'must have an array of names as after'
            WHEN coalesce(jsonb_typeof(g.v -> 'compensate'), 'null') NOT IN ('null', 'object')
                THEN 'must have an object as compensate' END AS rule
        FROM jsonb_array_elements(steps) WITH ORDINALITY AS g (v, i)
            CROSS JOIN LATERAL (SELECT coalesce(g.v ->> 'kind', 'job')) AS k (kind)) AS s
    WHERE s.rule IS NOT NULL ORDER BY s.i LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid(format('steps[%s]', bad.i), bad.name, bad.rule);
    END IF;
    IF steps <> '[]' THEN
        PERFORM internal_check_specs(g.specs, 'steps'),
            CASE WHEN g.compensations <> '{}' THEN internal_check_specs(g.compensations, 'compensate') END FROM (
            SELECT array_agg(CASE WHEN coalesce(s.v ->> 'kind', 'job') = 'job' THEN s.v -> 'job'
                    -- Times are checked like those of jobs.
                    ELSE jsonb_build_object('type', 'none', 'payload', '{}'::jsonb, 'timeout', s.v -> 'timeout',
                        'delay', s.v -> 'delay', 'run_at', s.v -> 'run_at') END ORDER BY s.i) AS specs,
                coalesce(array_agg(s.v -> 'compensate' ORDER BY s.i)
                    FILTER (WHERE jsonb_typeof(s.v -> 'compensate') = 'object'), '{}') AS compensations
            FROM jsonb_array_elements(steps) WITH ORDINALITY AS s (v, i)) AS g;
    END IF;
END
$$;

-- Refuses names that are none, or that two steps have.
CREATE OR REPLACE FUNCTION internal_check_step_names(of_flow uuid, names text[], groups text[], is_new boolean)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
DECLARE
    bad text;
BEGIN
    SELECT n INTO bad FROM unnest(names || groups) AS n
    WHERE n IS NOT NULL AND (length(n) NOT BETWEEN 1 AND 200 OR n ~ E'^\\s|\\s$|[[:cntrl:]]' OR n LIKE 'compensate:%')
    LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid('name', bad, 'must have 1 to 200 characters, none of them a control character, '
            'no blank at either end, and must not begin with compensate:');
    END IF;
    SELECT d.name INTO bad FROM (
        SELECT n AS name FROM unnest(names) AS n
        UNION ALL
        SELECT DISTINCT g FROM unnest(groups) AS g WHERE g IS NOT NULL) AS d
    GROUP BY d.name HAVING count(*) > 1 LIMIT 1;
    IF NOT FOUND AND NOT is_new THEN
        SELECT n INTO bad FROM unnest(names) AS n
        WHERE EXISTS (SELECT FROM flow_step s WHERE s.flow = of_flow AND (s.name = n OR s.group_name = n)) LIMIT 1;
        IF NOT FOUND THEN
            SELECT g INTO bad FROM unnest(groups) AS g
            WHERE EXISTS (
                SELECT FROM flow_step s WHERE s.flow = of_flow AND s.name = g AND s.name <> '') LIMIT 1;
        END IF;
    END IF;
    IF bad IS NOT NULL THEN
        PERFORM internal_invalid('name', bad, 'must be that of one step, or of one group, of the flow');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_add_steps(uuid, jsonb, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_steps(jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_step_names(uuid, text[], text[], boolean) FROM PUBLIC;
