-- BLOCKED -> FREE: steps whose rows say so already. Publishes their jobs; has the times of timers and timeouts come
-- later; a signal that came early counts now. Returns the queues of the jobs, '' for those due later. one_by_one: a
-- step that cannot be published, such as one that has become too long, is dead, and keeps nobody else.
CREATE OR REPLACE FUNCTION internal_free_steps(flows uuid[], steps int[], one_by_one boolean)
RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    free record;
    woken text[] := '{}';
BEGIN
    IF steps = '{}' IS NOT FALSE THEN
        RETURN '{}';
    END IF;
    SELECT array_agg(s.job_id ORDER BY g.i) FILTER (WHERE s.kind = 'job') AS ids,
        array_agg(s.spec ORDER BY g.i) FILTER (WHERE s.kind = 'job') AS specs,
        array_agg(s.flow ORDER BY g.i) FILTER (WHERE s.kind = 'job') AS flows,
        array_agg(s.step ORDER BY g.i) FILTER (WHERE s.kind = 'job') AS steps,
        bool_or(s.kind <> 'job') AS has_others
    INTO free FROM unnest(internal_free_steps.flows, internal_free_steps.steps) WITH ORDINALITY AS g (flow, step, i)
        CROSS JOIN LATERAL (SELECT * FROM flow_step s WHERE s.flow = g.flow AND s.step = g.step OFFSET 0) AS s;
    IF free.has_others THEN
        INSERT INTO flow_tick (at, flow, what, steps)
        SELECT coalesce((s.spec ->> 'run_at')::timestamptz,
                clock_timestamp() + coalesce(s.spec ->> 'delay', s.spec ->> 'timeout')::interval),
            s.flow, CASE s.kind WHEN 'timer' THEN 'TIMER' ELSE 'TIMEOUT' END, ARRAY[s.step]
        FROM unnest(internal_free_steps.flows, internal_free_steps.steps) AS g (flow, step)
            CROSS JOIN LATERAL (SELECT * FROM flow_step s WHERE s.flow = g.flow AND s.step = g.step OFFSET 0) AS s
        WHERE s.kind = 'timer' OR s.kind = 'signal' AND s.spec ->> 'timeout' IS NOT NULL;
        INSERT INTO flow_tick (flow, what, steps)
        SELECT s.flow, 'SIGNAL', ARRAY[s.step]
        FROM unnest(internal_free_steps.flows, internal_free_steps.steps) AS g (flow, step)
            CROSS JOIN LATERAL (SELECT * FROM flow_step s WHERE s.flow = g.flow AND s.step = g.step OFFSET 0) AS s
        WHERE s.kind = 'signal'
            AND EXISTS (SELECT FROM flow_signal f WHERE f.flow = s.flow AND f.name = s.name);
    END IF;
    IF free.ids IS NOT NULL THEN
        IF NOT one_by_one THEN
            RETURN internal_publish_specs(free.ids, free.specs, free.flows, free.steps);
        END IF;
        FOR i IN 1 .. cardinality(free.ids) LOOP
            BEGIN
                woken := woken || internal_publish_specs(
                    free.ids[i:i], free.specs[i:i], free.flows[i:i], free.steps[i:i]);
            EXCEPTION WHEN OTHERS THEN
                UPDATE flow_step s SET problem = SQLERRM WHERE s.flow = free.flows[i] AND s.step = free.steps[i];
                INSERT INTO flow_tick (flow, what, jobs, steps)
                VALUES (free.flows[i], 'DEAD', 1, ARRAY[free.steps[i]]);
            END;
        END LOOP;
    END IF;
    RETURN woken;
END
$$;

-- Publishes jobs that were kept; tells nobody. Limits that were removed meanwhile are left out. Returns their queues,
-- '' for those due later.
CREATE OR REPLACE FUNCTION internal_publish_specs(ids uuid[], specs jsonb[], flows uuid[], flow_steps int[])
RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    a record;
BEGIN
    SELECT * INTO a FROM internal_read_jobs((SELECT jsonb_agg(CASE WHEN jsonb_typeof(g.spec -> 'limits') = 'object'
            THEN jsonb_set(g.spec, '{limits}', (SELECT coalesce(jsonb_object_agg(k.key, k.value), '{}')
                FROM jsonb_each(g.spec -> 'limits') AS k WHERE EXISTS (SELECT FROM job_limit l WHERE l.name = k.key)))
            ELSE g.spec END ORDER BY g.i)
        FROM unnest(specs) WITH ORDINALITY AS g (spec, i)));
    PERFORM publish_many(internal_publish_specs.ids, a.types, a.payloads, a.queues, a.priorities,
        CASE WHEN array_remove(a.run_ats, NULL) <> '{}' THEN a.run_ats END,
        CASE WHEN array_remove(a.delays_ms, NULL) <> '{}' THEN a.delays_ms END, a.max_attempts, a.timeouts_ms,
        NULL, a.headers, given_ids => false, notify => false, limits => a.limits,
        flows => internal_publish_specs.flows, flow_steps => internal_publish_specs.flow_steps);
    RETURN ARRAY(SELECT DISTINCT CASE WHEN coalesce(g.run_at > clock_timestamp(), g.delay_ms > 0, false) THEN ''
            ELSE coalesce(g.queue, 'default') END
        FROM unnest(a.types, a.queues, a.run_ats, a.delays_ms) AS g (type, queue, run_at, delay_ms));
END
$$;

REVOKE ALL ON FUNCTION internal_free_steps(uuid[], int[], boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_publish_specs(uuid[], jsonb[], uuid[], int[]) FROM PUBLIC;
