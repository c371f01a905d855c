-- -> PENDING: jobs that are due at once, under ids that were never used and without a unique key, so that nothing can
-- conflict. What most publishers need, at little more than the price of the insert; publish and publish_many do the rest.
-- Whatever does not look right at once is left to internal_new_jobs, which knows all rules and says which one is broken;
-- but text that is no JSON gets PostgreSQL's own error, because catching it would cost every caller.

CREATE OR REPLACE FUNCTION publish_plain(
    id uuid, type text, payload text, queue text DEFAULT NULL, priority int DEFAULT NULL, headers text DEFAULT NULL,
    notify boolean DEFAULT true
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    -- Before the clock is read: run_at is then never older than this transaction (internal_look_back).
    xid constant xid8 := pg_current_xact_id();
    clock constant timestamptz := clock_timestamp();
    most_attempts int;
    longest interval;
    refused boolean;
BEGIN
    SELECT p.max_attempts, p.timeout INTO most_attempts, longest FROM retry_policy p WHERE p.type = publish_plain.type;
    -- A type that has a policy was looked at before.
    refused := id IS NULL OR payload IS NULL
        OR NOT FOUND AND (length(type) BETWEEN 1 AND 200 AND type !~ '^\s|\s$|[[:cntrl:]]') IS NOT TRUE;
    -- The usual queue and a small payload need no further look.
    IF queue IS NOT NULL OR headers IS NOT NULL OR octet_length(payload) > 1000 THEN
        refused := refused OR NOT (length(queue) BETWEEN 1 AND 200 AND queue !~ '^\s|\s$|[[:cntrl:]]')
            OR jsonb_typeof(headers::jsonb) <> 'object'
            OR octet_length(payload) > (SELECT max_payload_bytes FROM setting WHERE only_row);
    END IF;
    IF refused IS NOT TRUE THEN
        INSERT INTO job (id, queue, type, state, priority, run_at, payload, headers, max_attempts, timeout, created_at)
        VALUES (publish_plain.id, coalesce(publish_plain.queue, 'default'), publish_plain.type, 'PENDING',
            coalesce(publish_plain.priority, 0), clock, publish_plain.payload::jsonb,
            coalesce(publish_plain.headers::jsonb, '{}'), coalesce(most_attempts, 3), longest, clock);
    ELSE
        IF id IS NULL THEN
            PERFORM internal_invalid('id', NULL, 'must not be null');
        END IF;
        INSERT INTO job SELECT * FROM internal_new_jobs(ARRAY[publish_plain.id], ARRAY[publish_plain.type],
            ARRAY[publish_plain.payload], ARRAY[publish_plain.queue], ARRAY[publish_plain.priority],
            NULL, NULL, NULL, NULL, NULL, ARRAY[publish_plain.headers]);
    END IF;
    IF notify THEN
        PERFORM pg_notify(current_schema(), coalesce(publish_plain.queue, 'default'));
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION publish_plain(
    ids uuid[], types text[], payloads text[], queues text[] DEFAULT NULL, priorities int[] DEFAULT NULL,
    headers text[] DEFAULT NULL, notify boolean DEFAULT true
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    xid constant xid8 := pg_current_xact_id();
    clock constant timestamptz := clock_timestamp();
    wanted constant int := coalesce(cardinality(types), 0);
    sound boolean := wanted > 0 AND cardinality(ids) = wanted AND cardinality(payloads) = wanted
        AND coalesce(cardinality(queues), wanted) = wanted AND coalesce(cardinality(priorities), wanted) = wanted
        AND coalesce(cardinality(headers), wanted) = wanted;
    -- Mostly there is one of each: expressions then, because a query costs as much as inserting three jobs.
    one_type constant boolean := coalesce(types[1] = ALL (types), false);
    one_queue constant boolean := queues IS NULL OR coalesce(queues[1] = ALL (queues), false);
    type_names text[] := types[1:1];
    queue_names text[] := CASE WHEN queues IS NULL THEN '{default}' ELSE queues[1:1] END;
    name text;
    most_attempts int[];
    longest interval[];
    inserted int := 0;
BEGIN
    IF NOT one_queue THEN
        queue_names := ARRAY(SELECT DISTINCT coalesce(q, 'default') FROM unnest(queues) AS q);
    END IF;
    IF one_type THEN
        SELECT ARRAY[p.max_attempts], ARRAY[p.timeout] INTO most_attempts, longest
        FROM retry_policy p WHERE p.type = types[1];
    ELSE
        SELECT array_agg(t.name), array_agg(p.max_attempts), array_agg(p.timeout)
        INTO type_names, most_attempts, longest
        FROM (SELECT DISTINCT unnest(types) AS name) AS t LEFT JOIN retry_policy p ON p.type = t.name;
    END IF;
    FOREACH name IN ARRAY type_names || queue_names LOOP
        sound := sound AND length(name) BETWEEN 1 AND 200 AND name !~ '^\s|\s$|[[:cntrl:]]';
    END LOOP;
    IF sound THEN
        -- unnest in the select list, and not in FROM, where each array would be stored once more.
        INSERT INTO job (id, queue, type, state, priority, run_at, payload, headers, max_attempts, timeout, created_at)
        SELECT g.id, coalesce(g.queue, 'default'), g.type, 'PENDING', coalesce(g.priority, 0), clock, g.payload::jsonb,
            coalesce(g.header, '{}'),
            coalesce(most_attempts[CASE WHEN one_type THEN 1 ELSE array_position(type_names, g.type) END], 3),
            longest[CASE WHEN one_type THEN 1 ELSE array_position(type_names, g.type) END], clock
        FROM (SELECT unnest(ids) AS id, unnest(types) AS type, unnest(payloads) AS payload, unnest(queues) AS queue,
                unnest(priorities) AS priority, unnest(headers)::jsonb AS header) AS g
        WHERE g.id IS NOT NULL AND (g.header IS NULL OR jsonb_typeof(g.header) = 'object')
            -- A small payload needs no look at the setting.
            AND (octet_length(g.payload) <= 1000
                OR octet_length(g.payload) <= (SELECT max_payload_bytes FROM setting WHERE only_row));
        GET DIAGNOSTICS inserted = ROW_COUNT;
    END IF;
    IF inserted < wanted OR wanted = 0 THEN
        IF ids IS NULL OR EXISTS (SELECT FROM unnest(ids) AS given WHERE given IS NULL) THEN
            PERFORM internal_invalid('ids', NULL, 'must not be null, nor any of them');
        END IF;
        INSERT INTO job SELECT * FROM internal_new_jobs(ids, types, payloads, queues, priorities,
            NULL, NULL, NULL, NULL, NULL, publish_plain.headers);
    END IF;
    IF notify THEN
        PERFORM pg_notify(current_schema(), q) FROM unnest(queue_names) AS q;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION publish_plain(uuid, text, text, text, int, text, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION publish_plain(uuid[], text[], text[], text[], int[], text[], boolean) FROM PUBLIC;
