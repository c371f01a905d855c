-- -> PENDING or SCHEDULED, like publish_many, which calls this for jobs that may exist already. Tells what became of
-- each job: NEW, it was published; EXISTING, another one has its unique key, or its id was used; REPLACED, it took the
-- place of another one that waited. The id is that of the job that there is now.
CREATE OR REPLACE FUNCTION publish_with_outcome(
    ids uuid[], types text[], payloads text[], queues text[] DEFAULT NULL, priorities int[] DEFAULT NULL,
    run_ats timestamptz[] DEFAULT NULL, delays_ms bigint[] DEFAULT NULL, max_attempts int[] DEFAULT NULL,
    timeouts_ms bigint[] DEFAULT NULL, unique_keys text[] DEFAULT NULL, headers text[] DEFAULT NULL,
    given_ids boolean DEFAULT true, notify boolean DEFAULT true, unique_for_ms bigint[] DEFAULT NULL,
    on_conflicts text[] DEFAULT NULL, max_delays_ms bigint[] DEFAULT NULL, limits text[] DEFAULT NULL
) RETURNS TABLE (id uuid, outcome text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    entered constant int := internal_enter();
    -- After entering: what is written into an epoch is never older than it.
    clock constant timestamptz := clock_timestamp();
    bodies json[];
    heads jsonb[];
    lined limited[];
    done record;
BEGIN
    IF ids IS NULL OR (array_position(ids, NULL) IS NOT NULL AND cardinality(ids) = cardinality(types)) THEN
        given_ids := coalesce(given_ids AND array_remove(ids, NULL) <> '{}', false);
        ids := ARRAY(SELECT coalesce(g.id, uuidv7())
            FROM unnest(ids, types) WITH ORDINALITY AS g (id, type, i) ORDER BY i);
    END IF;
    IF (given_ids OR array_remove(unique_keys, NULL) <> '{}') IS NOT TRUE THEN
        RETURN QUERY SELECT p, 'NEW' FROM publish_many(ids, types, payloads, queues, priorities, run_ats, delays_ms,
            publish_with_outcome.max_attempts, timeouts_ms, unique_keys, publish_with_outcome.headers, given_ids,
            notify, unique_for_ms => unique_for_ms, on_conflicts => on_conflicts, max_delays_ms => max_delays_ms,
            limits => limits) AS p;
        RETURN;
    END IF;
    PERFORM internal_refuse_jobs(ids, types, payloads, queues, priorities, run_ats, delays_ms,
        publish_with_outcome.max_attempts, timeouts_ms, unique_keys, publish_with_outcome.headers);
    IF unique_for_ms IS NOT NULL OR on_conflicts IS NOT NULL OR max_delays_ms IS NOT NULL THEN
        PERFORM internal_refuse_rules(
            types, unique_keys, run_ats, delays_ms, unique_for_ms, on_conflicts, max_delays_ms);
    END IF;
    bodies := payloads::json[];
    heads := publish_with_outcome.headers::jsonb[];
    IF limits IS NOT NULL OR EXISTS (SELECT FROM limit_use) THEN
        lined := internal_limited(ids, types, queues, bodies, heads, limits);
    END IF;
    SELECT * INTO done FROM internal_publish_once(entered, clock, ids, types, bodies, queues, priorities, run_ats,
        delays_ms, publish_with_outcome.max_attempts, timeouts_ms, unique_keys, heads, given_ids, unique_for_ms,
        -- KEEP is what happens anyway.
        CASE WHEN array_remove(array_remove(on_conflicts, NULL), 'KEEP') <> '{}' THEN on_conflicts END, max_delays_ms,
        lined);
    IF notify THEN
        PERFORM pg_notify(current_schema(), w) FROM unnest(done.woken) AS w;
    END IF;
    RETURN QUERY SELECT * FROM unnest(done.answer, done.outcomes);
END
$$;

-- The JSON form, as that of publish_many.
CREATE OR REPLACE FUNCTION publish_with_outcome(jobs jsonb) RETURNS TABLE (id uuid, outcome text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    a record;
BEGIN
    SELECT * INTO a FROM internal_read_jobs(jobs);
    RETURN QUERY SELECT * FROM publish_with_outcome(a.ids, a.types, a.payloads, a.queues, a.priorities, a.run_ats,
        a.delays_ms, a.max_attempts, a.timeouts_ms, a.unique_keys, a.headers, unique_for_ms => a.unique_for_ms,
        on_conflicts => a.on_conflicts, max_delays_ms => a.max_delays_ms, limits => a.limits);
END
$$;

REVOKE ALL ON FUNCTION publish_with_outcome(uuid[], text[], text[], text[], int[], timestamptz[], bigint[], int[],
    bigint[], text[], text[], boolean, boolean, bigint[], text[], bigint[], text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION publish_with_outcome(jsonb) FROM PUBLIC;
