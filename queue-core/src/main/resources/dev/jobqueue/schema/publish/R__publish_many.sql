-- -> PENDING, or SCHEDULED when run_at lies ahead, or WAITING for jobs with limits: many jobs in one call, all or none,
-- ids returned in the order given.

-- The array form: whatever a job can have, and the one place where new jobs come from. A null element means the
-- default. given_ids = false promises that no id was ever used, and saves looking for them. A worker that is idle may
-- take jobs as it publishes them: those with a lease, a negative number of its own choice, one for each queue, go to it
-- instead of being claimed. It has to confirm them after the commit. limits: an object of limits and keys for each job,
-- besides those that its type and queue have (use_limits). flows: the batches of which jobs become members; flow_steps
-- is for steps of flows that became free.
CREATE OR REPLACE FUNCTION publish_many(
    ids uuid[], types text[], payloads text[], queues text[] DEFAULT NULL, priorities int[] DEFAULT NULL,
    run_ats timestamptz[] DEFAULT NULL, delays_ms bigint[] DEFAULT NULL, max_attempts int[] DEFAULT NULL,
    timeouts_ms bigint[] DEFAULT NULL, unique_keys text[] DEFAULT NULL, headers text[] DEFAULT NULL,
    given_ids boolean DEFAULT true, notify boolean DEFAULT true, worker_id uuid DEFAULT NULL,
    leases bigint[] DEFAULT NULL, unique_for_ms bigint[] DEFAULT NULL, on_conflicts text[] DEFAULT NULL,
    max_delays_ms bigint[] DEFAULT NULL, limits text[] DEFAULT NULL, flows uuid[] DEFAULT NULL,
    flow_steps int[] DEFAULT NULL
) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    wanted constant int := coalesce(cardinality(types), 0);
    entered constant int := internal_enter();
    -- After entering: what is written into an epoch is never older than it.
    clock constant timestamptz := clock_timestamp();
    bodies json[];
    heads jsonb[];
    -- By job, what lines need to know; NULL if no job has limits.
    lined limited[];
    inserted int;
    published uuid[];
    woken text[];
BEGIN
    IF ids IS NULL OR (array_position(ids, NULL) IS NOT NULL AND cardinality(ids) = wanted) THEN
        given_ids := coalesce(given_ids AND array_remove(ids, NULL) <> '{}', false);
        ids := ARRAY(SELECT coalesce(g.id, uuidv7())
            FROM unnest(ids, types) WITH ORDINALITY AS g (id, type, i) ORDER BY i);
    END IF;
    IF (cardinality(ids) = wanted AND cardinality(payloads) = wanted AND coalesce(cardinality(queues), wanted) = wanted
            AND coalesce(cardinality(priorities), wanted) = wanted AND coalesce(cardinality(run_ats), wanted) = wanted
            AND coalesce(cardinality(delays_ms), wanted) = wanted
            AND coalesce(cardinality(publish_many.max_attempts), wanted) = wanted
            AND coalesce(cardinality(timeouts_ms), wanted) = wanted
            AND coalesce(cardinality(unique_keys), wanted) = wanted
            AND coalesce(cardinality(publish_many.headers), wanted) = wanted
            AND coalesce(cardinality(leases), wanted) = wanted) IS NOT TRUE THEN
        PERFORM internal_refuse_jobs(ids, types, payloads, queues, priorities, run_ats, delays_ms,
            publish_many.max_attempts, timeouts_ms, unique_keys, publish_many.headers);
    END IF;
    IF flows IS NOT NULL THEN
        PERFORM internal_check_members(ids, flows, flow_steps, wanted, given_ids, unique_keys);
    END IF;
    IF leases IS NOT NULL AND (worker_id IS NOT NULL AND 0 > ALL (array_remove(leases, NULL)) AND NOT given_ids
            AND run_ats IS NULL AND delays_ms IS NULL AND unique_keys IS NULL) IS NOT TRUE THEN
        PERFORM internal_invalid('leases', leases::text, 'must be negative, with a worker_id, and for jobs that are '
            'due at once and have neither a unique key nor an id that may have been used');
    END IF;
    IF leases IS NOT NULL AND EXISTS (SELECT FROM queue q WHERE q.paused_at IS NOT NULL
            AND q.name = ANY (array_replace(coalesce(queues, '{NULL}'), NULL, 'default'))) THEN
        leases := NULL; -- nothing starts there: confirming these brings nothing
    END IF;
    -- The block writes nothing, so its subtransaction costs no transaction id.
    BEGIN
        bodies := payloads::json[];
        heads := publish_many.headers::jsonb[];
    EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
        PERFORM internal_refuse_jobs(ids, types, payloads, queues, priorities, run_ats, delays_ms,
            publish_many.max_attempts, timeouts_ms, unique_keys, publish_many.headers);
    END;

    IF given_ids OR array_remove(unique_keys, NULL) <> '{}' THEN
        RETURN QUERY SELECT o.id FROM publish_with_outcome(ids, types, payloads, queues, priorities, run_ats, delays_ms,
            publish_many.max_attempts, timeouts_ms, unique_keys, publish_many.headers, given_ids, notify,
            unique_for_ms, on_conflicts, max_delays_ms, limits) AS o;
        RETURN;
    ELSE
        IF unique_for_ms IS NOT NULL OR on_conflicts IS NOT NULL OR max_delays_ms IS NOT NULL THEN
            PERFORM internal_refuse_rules(
                types, unique_keys, run_ats, delays_ms, unique_for_ms, on_conflicts, max_delays_ms);
        END IF;
        IF limits IS NOT NULL OR EXISTS (SELECT FROM limit_use) THEN
            BEGIN
                lined := internal_limited(ids, types, queues, bodies, heads, limits);
            EXCEPTION WHEN data_exception THEN -- a key that is no text, such as \u0000
                PERFORM internal_refuse_jobs(ids, types, payloads, queues, priorities, run_ats, delays_ms,
                    publish_many.max_attempts, timeouts_ms, unique_keys, publish_many.headers);
                RAISE;
            END;
            IF lined IS NOT NULL THEN
                leases := NULL; -- only a claim counts
            END IF;
        END IF;
        -- Nothing can conflict: a plain insert, because ON CONFLICT inserts in two steps and logs both. Whatever does
        -- not look right at once is left out, and then looked at by who knows all rules and says which one is broken.
        INSERT INTO job (id, queue, type, priority, run_at, payload, headers, max_attempts, timeout, created_at,
            limits, limit_keys, gates, line, seq, flow, flow_step)
        SELECT g.id, coalesce(g.queue, 'default'), g.type, coalesce(g.priority, 0),
            coalesce(g.run_at, clock + g.delay_ms * interval '1 millisecond', clock), g.payload, g.headers,
            g.max_attempts, g.timeout_ms * interval '1 millisecond', clock,
            (g.lined).limits, (g.lined).keys, (g.lined).gates, (g.lined).line, (g.lined).seq,
            g.flow, g.flow_step
        FROM (SELECT unnest(ids) AS id, unnest(types) AS type, unnest(bodies) AS payload, unnest(payloads) AS written,
                unnest(queues) AS queue, unnest(priorities) AS priority,
                unnest(run_ats) AS run_at, unnest(delays_ms) AS delay_ms,
                unnest(publish_many.max_attempts) AS max_attempts,
                unnest(timeouts_ms) AS timeout_ms, unnest(heads) AS headers,
                unnest(publish_many.headers) AS written_headers, unnest(lined) AS lined, unnest(flows) AS flow,
                unnest(flow_steps) AS flow_step) AS g
        WHERE g.id IS NOT NULL
            AND length(g.type) BETWEEN 1 AND 200 AND g.type !~ E'^\\s|\\s$|[[:cntrl:]]'
            AND (g.queue IS NULL OR length(g.queue) BETWEEN 1 AND 200 AND g.queue !~ E'^\\s|\\s$|[[:cntrl:]]')
            -- A small payload needs no look at the setting.
            AND (octet_length(g.written) <= 1000
                OR octet_length(g.written) <= (SELECT s.max_payload_bytes FROM setting s))
            -- What json lets through and jsonb does not is mostly an escape: \u0000, half of a pair.
            AND (strpos(g.written, E'\\u') = 0 OR internal_is_jsonb(g.written))
            AND (g.run_at IS NULL OR isfinite(g.run_at) AND g.delay_ms IS NULL)
            AND (g.delay_ms IS NULL OR g.delay_ms BETWEEN 0 AND 315360000000)
            AND (g.max_attempts IS NULL OR g.max_attempts >= 1)
            AND (g.timeout_ms IS NULL OR g.timeout_ms BETWEEN 1 AND 315360000000)
            AND (g.headers IS NULL OR jsonb_typeof(g.headers) = 'object' AND (octet_length(g.written_headers) <= 1000
                OR octet_length(g.written_headers) <= (SELECT s.max_payload_bytes FROM setting s)));
        GET DIAGNOSTICS inserted = ROW_COUNT;
        IF inserted <> wanted THEN
            PERFORM internal_refuse_jobs(ids, types, payloads, queues, priorities, run_ats, delays_ms,
                publish_many.max_attempts, timeouts_ms, unique_keys, publish_many.headers);
        END IF;
        published := ids;
        IF flows IS NOT NULL AND flow_steps IS NULL THEN
            INSERT INTO flow_tick (flow, what, jobs)
            SELECT g.flow, 'ADDED', count(*) FROM unnest(flows) AS g (flow) WHERE g.flow IS NOT NULL GROUP BY g.flow;
        END IF;
        IF run_ats IS NOT NULL OR delays_ms IS NOT NULL OR lined IS NOT NULL THEN
            woken := internal_put_new(ids, entered, clock, lined IS NOT NULL);
        ELSE
            IF leases IS NULL OR array_position(leases, NULL) IS NOT NULL THEN
                INSERT INTO ready (epoch, hash, rank, run_at, id, type, size)
                SELECT entered, hashtextextended(coalesce(g.queue, 'default'), 0), ~coalesce(g.priority, 0), clock,
                    g.id, g.type, octet_length(g.payload) + coalesce(octet_length(g.headers), 0)
                FROM unnest(ids, types, payloads, queues, priorities, leases, publish_many.headers)
                    AS g (id, type, payload, queue, priority, lease, headers)
                WHERE g.lease IS NULL;
            END IF;
            IF notify THEN
                woken := ARRAY(SELECT DISTINCT coalesce(g.queue, 'default') FROM unnest(ids, queues) AS g (id, queue));
            END IF;
        END IF;
        IF leases IS NOT NULL THEN
            INSERT INTO lease (number, worker_id, queue, claimed_at, ids, versions, is_direct)
            SELECT g.number, publish_many.worker_id, min(coalesce(g.queue, 'default')), clock, array_agg(g.id),
                array_fill(0, ARRAY[count(*)::int]), true
            FROM unnest(leases, ids, queues) AS g (number, id, queue) WHERE g.number IS NOT NULL GROUP BY g.number;
        END IF;
    END IF;

    IF notify THEN
        PERFORM pg_notify(current_schema(), w) FROM unnest(woken) AS w;
    END IF;
    RETURN QUERY SELECT unnest(published);
END
$$;

-- The JSON form: an array of objects whose keys are named like the parameters of publish.
CREATE OR REPLACE FUNCTION publish_many(jobs jsonb) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    a record;
BEGIN
    SELECT * INTO a FROM internal_read_jobs(jobs);
    RETURN QUERY SELECT * FROM publish_many(a.ids, a.types, a.payloads, a.queues, a.priorities, a.run_ats, a.delays_ms,
        a.max_attempts, a.timeouts_ms, a.unique_keys, a.headers, unique_for_ms => a.unique_for_ms,
        on_conflicts => a.on_conflicts, max_delays_ms => a.max_delays_ms, limits => a.limits);
END
$$;

-- Reads the JSON form.
CREATE OR REPLACE FUNCTION internal_read_jobs(
    jobs jsonb, OUT ids uuid[], OUT types text[], OUT payloads text[], OUT queues text[], OUT priorities int[],
    OUT run_ats timestamptz[], OUT delays_ms bigint[], OUT max_attempts int[], OUT timeouts_ms bigint[],
    OUT unique_keys text[], OUT headers text[], OUT unique_for_ms bigint[], OUT on_conflicts text[],
    OUT max_delays_ms bigint[], OUT limits text[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    bad record;
BEGIN
    IF jsonb_typeof(jobs) IS DISTINCT FROM 'array' THEN
        PERFORM internal_invalid('jobs', jsonb_typeof(jobs), 'must be a JSON array of objects');
    END IF;
    SELECT i, v, k INTO bad FROM jsonb_array_elements(jobs) WITH ORDINALITY AS g (v, i)
        LEFT JOIN LATERAL jsonb_object_keys(CASE jsonb_typeof(v) WHEN 'object' THEN v ELSE '{}' END) AS k ON true
        WHERE jsonb_typeof(v) <> 'object' OR k NOT IN ('type', 'payload', 'queue', 'priority', 'run_at', 'delay',
            'max_attempts', 'timeout', 'unique_key', 'headers', 'id', 'unique_for', 'on_conflict', 'max_delay',
            'limits')
        ORDER BY i LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid(format('jobs[%s]', bad.i), coalesce(bad.k, jsonb_typeof(bad.v)),
            'must be an object with no other keys than type, payload, queue, priority, run_at, delay, max_attempts, '
            'timeout, unique_key, headers, id, unique_for, on_conflict, max_delay and limits');
    END IF;
    BEGIN
        SELECT array_agg(j.id), coalesce(array_agg(j.type), '{}'), coalesce(array_agg(j.payload::text), '{}'),
            array_agg(j.queue), array_agg(j.priority), array_agg(j.run_at),
            array_agg(internal_check_span('delay', j.delay, 0)), array_agg(j.max_attempts),
            array_agg(internal_check_span('timeout', j.timeout, 1)), array_agg(j.unique_key),
            array_agg(j.headers::text),
            CASE WHEN count(j.unique_for) > 0 THEN array_agg(internal_check_span('unique_for', j.unique_for, 1)) END,
            CASE WHEN count(j.on_conflict) > 0 THEN array_agg(j.on_conflict) END,
            CASE WHEN count(j.max_delay) > 0 THEN array_agg(internal_check_span('max_delay', j.max_delay, 1)) END,
            CASE WHEN count(j.limits) > 0 THEN array_agg(j.limits::text) END
        INTO ids, types, payloads, queues, priorities, run_ats, delays_ms, max_attempts, timeouts_ms, unique_keys,
            headers, unique_for_ms, on_conflicts, max_delays_ms, limits
        FROM jsonb_to_recordset(jobs) AS j (id uuid, type text, payload jsonb, queue text, priority int,
            run_at timestamptz, delay interval, max_attempts int, timeout interval, unique_key text, headers jsonb,
            unique_for interval, on_conflict text, max_delay interval, limits jsonb);
    EXCEPTION WHEN data_exception THEN
        PERFORM internal_invalid('jobs', format('%s jobs', jsonb_array_length(jobs)),
            format('must hold values of the right type (%s)', SQLERRM));
    END;
END
$$;

REVOKE ALL ON FUNCTION publish_many(uuid[], text[], text[], text[], int[], timestamptz[], bigint[], int[], bigint[],
    text[], text[], boolean, boolean, uuid, bigint[], bigint[], text[], bigint[], text[], uuid[], int[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION publish_many(jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_read_jobs(jsonb) FROM PUBLIC;
