-- BLOCKED -> FREE: steps whose rows say so already. Publishes their jobs; has the times of timers and timeouts come
-- later; a signal that came early counts now. Returns the queues of the jobs, '' for those due later. one_by_one: a
-- step that cannot be published, such as one that has become too long, is dead, and keeps nobody else. offer: a worker
-- that takes jobs of these queues, which are left out of those returned.
CREATE OR REPLACE FUNCTION internal_free_steps(
    flows uuid[], steps int[], one_by_one boolean, offer free_slots DEFAULT NULL
) RETURNS text[]
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
            RETURN internal_publish_specs(free.ids, free.specs, free.flows, free.steps, offer);
        END IF;
        FOR i IN 1 .. cardinality(free.ids) LOOP
            BEGIN
                woken := woken || internal_publish_specs(
                    free.ids[i:i], free.specs[i:i], free.flows[i:i], free.steps[i:i]);
            -- Only what is wrong with the job itself: a full disk or a lock must not lose it.
            EXCEPTION WHEN SQLSTATE 'JQ422' OR data_exception OR integrity_constraint_violation THEN
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
-- '' for those due later, none for those that a worker takes whose offer it is.
CREATE OR REPLACE FUNCTION internal_publish_specs(
    ids uuid[], specs jsonb[], flows uuid[], flow_steps int[], offer free_slots DEFAULT NULL
) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    a record;
    taken bigint[];
BEGIN
    SELECT * INTO a FROM internal_read_jobs((SELECT jsonb_agg(CASE WHEN jsonb_typeof(g.spec -> 'limits') = 'object'
            THEN jsonb_set(g.spec, '{limits}', (SELECT coalesce(jsonb_object_agg(k.key, k.value), '{}')
                FROM jsonb_each(g.spec -> 'limits') AS k WHERE EXISTS (SELECT FROM job_limit l WHERE l.name = k.key)))
            ELSE g.spec END ORDER BY g.i)
        FROM unnest(specs) WITH ORDINALITY AS g (spec, i)));
    a.run_ats := CASE WHEN array_remove(a.run_ats, NULL) <> '{}' THEN a.run_ats END;
    a.delays_ms := CASE WHEN array_remove(a.delays_ms, NULL) <> '{}' THEN a.delays_ms END;
    IF offer.leases <> '{}' AND a.run_ats IS NULL AND a.delays_ms IS NULL THEN
        taken := internal_fit(a.types, a.queues, offer);
    END IF;
    PERFORM publish_many(internal_publish_specs.ids, a.types, a.payloads, a.queues, a.priorities, a.run_ats,
        a.delays_ms, a.max_attempts, a.timeouts_ms, NULL, a.headers, given_ids => false, notify => false,
        worker_id => offer.worker_id, leases => taken, limits => a.limits,
        flows => internal_publish_specs.flows, flow_steps => internal_publish_specs.flow_steps);
    IF taken IS NOT NULL AND NOT EXISTS (SELECT FROM lease l WHERE l.number = ANY (taken)) THEN
        taken := NULL; -- the queue is paused, or the jobs have limits
    END IF;
    RETURN ARRAY(SELECT DISTINCT CASE WHEN coalesce(g.run_at > clock_timestamp(), g.delay_ms > 0, false) THEN ''
            ELSE coalesce(g.queue, 'default') END
        FROM unnest(a.types, a.queues, a.run_ats, a.delays_ms, taken) AS g (type, queue, run_at, delay_ms, lease)
        WHERE g.lease IS NULL);
END
$$;

-- The leases under which a worker takes these jobs, NULL for those that are to be claimed; or NULL for all. It takes
-- all that it handles of a queue or none: which of them come first is for a claim to say.
CREATE OR REPLACE FUNCTION internal_fit(types text[], queues text[], offer free_slots) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN (SELECT nullif(array_agg(CASE WHEN g.handled <= f.slots THEN f.lease END ORDER BY g.i),
            array_fill(NULL::bigint, ARRAY[cardinality(internal_fit.types)]))
        FROM (SELECT g.i, coalesce(g.queue, 'default') AS queue, g.type = ANY (offer.types) AS is_handled,
                count(*) FILTER (WHERE g.type = ANY (offer.types)) OVER (
                    PARTITION BY coalesce(g.queue, 'default')) AS handled
            FROM unnest(internal_fit.types, internal_fit.queues) WITH ORDINALITY AS g (type, queue, i)) AS g
        LEFT JOIN unnest(offer.queues, offer.slots, offer.leases) AS f (queue, slots, lease)
            ON f.queue = g.queue AND g.is_handled);
END
$$;

REVOKE ALL ON FUNCTION internal_free_steps(uuid[], int[], boolean, free_slots) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_publish_specs(uuid[], jsonb[], uuid[], int[], free_slots) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_fit(text[], text[], free_slots) FROM PUBLIC;
