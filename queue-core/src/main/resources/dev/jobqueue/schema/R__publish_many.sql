-- -> PENDING, or SCHEDULED when run_at lies ahead: many jobs in one call, all or none, ids returned in the order given.

-- The array form: whatever a job can have. New jobs enter the table here, in publish_plain and by the rows that
-- Java inserts itself.
-- given_ids = false promises that no id was ever used, and saves looking for them.
CREATE OR REPLACE FUNCTION publish_many(
    ids uuid[], types text[], payloads text[], queues text[] DEFAULT NULL, priorities int[] DEFAULT NULL,
    run_ats timestamptz[] DEFAULT NULL, delays_ms bigint[] DEFAULT NULL, max_attempts int[] DEFAULT NULL,
    timeouts_ms bigint[] DEFAULT NULL, unique_keys text[] DEFAULT NULL, headers text[] DEFAULT NULL,
    given_ids boolean DEFAULT true, notify boolean DEFAULT true
) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    published uuid[];
    -- Ids found to be used; kept over a rollback, so that such a job does not hold its key again.
    used uuid[] := '{}';
    woken text[];
    answer uuid[];
BEGIN
    -- Before internal_new_jobs reads the clock: run_at is then never older than this transaction (internal_look_back).
    PERFORM pg_current_xact_id();
    IF ids IS NULL OR (array_position(ids, NULL) IS NOT NULL AND cardinality(ids) = cardinality(types)) THEN
        given_ids := coalesce(given_ids AND array_remove(ids, NULL) <> '{}', false);
        ids := ARRAY(SELECT coalesce(g.id, uuidv7())
            FROM unnest(ids, types) WITH ORDINALITY AS g (id, type, i) ORDER BY i);
    END IF;

    IF NOT given_ids AND array_remove(unique_keys, NULL) <> '{}' IS NOT TRUE THEN
        -- Nothing can conflict: a plain insert, because ON CONFLICT inserts in two steps and logs both.
        WITH new AS (
            INSERT INTO job SELECT * FROM internal_new_jobs(ids, types, payloads, queues, priorities, run_ats,
                delays_ms, publish_many.max_attempts, timeouts_ms, unique_keys, publish_many.headers)
            RETURNING CASE state WHEN 'PENDING' THEN queue ELSE '' END AS queue)
        SELECT ARRAY(SELECT DISTINCT queue FROM new WHERE publish_many.notify) INTO woken;
        answer := ids;
    ELSE
        IF given_ids THEN
            INSERT INTO given_id (id)
            SELECT DISTINCT g.id FROM unnest(ids) AS g (id) WHERE g.id IS NOT NULL ORDER BY g.id
            ON CONFLICT (id) DO UPDATE SET at = excluded.at WHERE given_id.at < excluded.at - interval '1 hour';
            -- A snapshot may show a job that has left the table since: its id conflicts with nothing, but is used.
            used := ARRAY(SELECT j.id FROM job j WHERE j.id = ANY (ids));
        END IF;
        LOOP BEGIN
            -- In the order of the keys, so that two publishers of the same keys wait for each other in one direction.
            WITH new AS (
                INSERT INTO job SELECT * FROM internal_new_jobs(ids, types, payloads, queues, priorities, run_ats,
                    delays_ms, publish_many.max_attempts, timeouts_ms, unique_keys, publish_many.headers) AS n
                WHERE n.id <> ALL (used)
                ORDER BY n.type, n.unique_key, n.id
                ON CONFLICT DO NOTHING
                RETURNING id, CASE state WHEN 'PENDING' THEN queue ELSE '' END AS queue)
            SELECT array_agg(id), array_agg(DISTINCT queue) INTO published, woken FROM new;
            -- Looked up after the insert: only then has whoever was settling a job of this id surely committed.
            IF given_ids THEN
                WITH gone AS (
                    DELETE FROM job WHERE id = ANY (published) AND (
                        EXISTS (SELECT FROM dead_letter d WHERE d.id = job.id)
                        OR EXISTS (SELECT FROM job_history h WHERE h.id = job.id))
                    RETURNING id)
                SELECT used || array_agg(id) INTO used FROM gone;
            END IF;
            SELECT array_agg(CASE
                WHEN g.id = ANY (used)
                    OR EXISTS (SELECT FROM job j WHERE j.id = g.id)
                    OR given_ids AND EXISTS (SELECT FROM dead_letter d WHERE d.id = g.id)
                    OR given_ids AND EXISTS (SELECT FROM job_history h WHERE h.id = g.id) THEN g.id
                ELSE (SELECT j.id FROM job j WHERE j.type = g.type AND j.unique_key = g.unique_key) END ORDER BY i)
            INTO answer FROM unnest(ids, types, unique_keys) WITH ORDINALITY AS g (id, type, unique_key, i);
            EXIT WHEN array_position(answer, NULL) IS NULL;
            -- The job that held a key has left: give up our own by a rollback, or the order is lost, and try again.
            RAISE EXCEPTION 'a unique key became free' USING ERRCODE = 'JQ001';
        EXCEPTION WHEN SQLSTATE 'JQ001' THEN
            NULL;
        END; END LOOP;
    END IF;

    IF run_ats IS NOT NULL THEN
        INSERT INTO rewind (queue, run_at)
        SELECT coalesce(g.queue, 'default'), min(g.run_at) FROM unnest(queues, run_ats) AS g (queue, run_at)
        WHERE g.run_at < clock_timestamp() GROUP BY 1 ORDER BY 1;
    END IF;
    IF notify THEN
        PERFORM pg_notify(current_schema(), w) FROM unnest(woken) AS w;
    END IF;
    RETURN QUERY SELECT unnest(answer);
END
$$;

-- The JSON form: an array of objects whose keys are named like the parameters of publish, and "delay".
CREATE OR REPLACE FUNCTION publish_many(jobs jsonb) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    a record;
    bad record;
BEGIN
    IF jsonb_typeof(jobs) IS DISTINCT FROM 'array' THEN
        PERFORM internal_invalid('jobs', jsonb_typeof(jobs), 'must be a JSON array of objects');
    END IF;
    SELECT i, v, k INTO bad FROM jsonb_array_elements(jobs) WITH ORDINALITY AS g (v, i)
        LEFT JOIN LATERAL jsonb_object_keys(CASE jsonb_typeof(v) WHEN 'object' THEN v ELSE '{}' END) AS k ON true
        WHERE jsonb_typeof(v) <> 'object' OR k NOT IN ('type', 'payload', 'queue', 'priority', 'run_at', 'delay',
            'max_attempts', 'timeout', 'unique_key', 'headers', 'id')
        ORDER BY i LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid(format('jobs[%s]', bad.i), coalesce(bad.k, jsonb_typeof(bad.v)),
            'must be an object with no other keys than type, payload, queue, priority, run_at, delay, max_attempts, '
            'timeout, unique_key, headers and id');
    END IF;
    BEGIN
        SELECT array_agg(id) AS ids, array_agg(type) AS types, array_agg(payload::text) AS payloads,
            array_agg(queue) AS queues, array_agg(priority) AS priorities, array_agg(run_at) AS run_ats,
            array_agg(internal_check_span('delay', delay, 0)) AS delays, array_agg(max_attempts) AS max_attempts,
            array_agg(internal_check_span('timeout', timeout, 1)) AS timeouts,
            array_agg(unique_key) AS unique_keys, array_agg(headers::text) AS headers
        INTO a FROM jsonb_to_recordset(jobs) AS j (id uuid, type text, payload jsonb, queue text, priority int,
            run_at timestamptz, delay interval, max_attempts int, timeout interval, unique_key text, headers jsonb);
    EXCEPTION WHEN data_exception THEN
        PERFORM internal_invalid('jobs', format('%s jobs', jsonb_array_length(jobs)), format('must hold values of the right type (%s)', SQLERRM));
    END;
    RETURN QUERY SELECT * FROM publish_many(a.ids, coalesce(a.types, '{}'), coalesce(a.payloads, '{}'), a.queues,
        a.priorities, a.run_ats, a.delays, a.max_attempts, a.timeouts, a.unique_keys, a.headers);
END
$$;

REVOKE ALL ON FUNCTION publish_many(uuid[], text[], text[], text[], int[], timestamptz[], bigint[], int[], bigint[],
    text[], text[], boolean, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION publish_many(jsonb) FROM PUBLIC;
