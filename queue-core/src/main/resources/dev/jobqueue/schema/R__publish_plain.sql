-- -> PENDING: jobs that are due at once, under ids that were never used and without a unique key, so that nothing can
-- conflict. What most publishers need, at little more than the price of the insert; publish and publish_many do the rest.
-- Whatever does not look right at once is left to internal_new_jobs, which knows all rules and says which one is broken.

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
    payload_value jsonb;
    header_value jsonb := '{}';
    refused boolean := publish_plain.queue IS NOT NULL OR octet_length(payload) > 1000;
BEGIN
    -- The usual queue and a small payload need no further look.
    IF refused THEN
        refused := (length(publish_plain.queue) BETWEEN 1 AND 200 AND publish_plain.queue !~ '^\s|\s$|[[:cntrl:]]') IS FALSE
            OR octet_length(payload) > (SELECT max_payload_bytes FROM setting WHERE only_row);
    END IF;
    -- Writes nothing, so the block costs no transaction id.
    BEGIN
        payload_value := payload::jsonb;
        IF headers IS NOT NULL THEN
            header_value := headers::jsonb;
            refused := refused OR jsonb_typeof(header_value) <> 'object';
        END IF;
    EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
        refused := true;
    END;
    IF NOT refused THEN
        INSERT INTO job (id, queue, type, state, priority, run_at, payload, headers, max_attempts, timeout, created_at)
        SELECT publish_plain.id, coalesce(publish_plain.queue, 'default'), publish_plain.type, 'PENDING',
            coalesce(publish_plain.priority, 0), clock, payload_value, header_value,
            coalesce(policy.max_attempts, 3), policy.timeout, clock
        FROM (VALUES (1)) AS one LEFT JOIN retry_policy policy ON policy.type = publish_plain.type
        -- A type that has a policy was looked at before.
        WHERE publish_plain.id IS NOT NULL AND payload_value IS NOT NULL AND (policy.type IS NOT NULL
            OR length(publish_plain.type) BETWEEN 1 AND 200 AND publish_plain.type !~ '^\s|\s$|[[:cntrl:]]');
    END IF;
    IF refused OR NOT FOUND THEN
        IF publish_plain.id IS NULL THEN
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
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_nestloop = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    xid constant xid8 := pg_current_xact_id();
    clock constant timestamptz := clock_timestamp();
    most_bytes constant int := (SELECT max_payload_bytes FROM setting WHERE only_row);
    -- Names repeat, mostly it is one.
    type_names constant text[] :=
        CASE WHEN types[1] = ALL (types) THEN types[1:1] ELSE ARRAY(SELECT DISTINCT unnest(types)) END;
    queue_names constant text[] := CASE WHEN queues IS NULL THEN '{default}' WHEN queues[1] = ALL (queues)
        THEN queues[1:1] ELSE ARRAY(SELECT DISTINCT coalesce(q, 'default') FROM unnest(queues) AS q) END;
    payload_values constant jsonb[] := internal_to_jsonb('payload', payloads);
    header_values constant jsonb[] := internal_to_jsonb('headers', headers);
BEGIN
    IF cardinality(types) > 0 AND cardinality(payloads) = cardinality(types) AND cardinality(ids) = cardinality(types)
        AND coalesce(cardinality(queues), cardinality(types)) = cardinality(types)
        AND coalesce(cardinality(priorities), cardinality(types)) = cardinality(types)
        AND coalesce(cardinality(headers), cardinality(types)) = cardinality(types)
        AND array_position(ids, NULL) IS NULL
        AND NOT EXISTS (SELECT FROM unnest(type_names || queue_names) AS name
            WHERE (length(name) BETWEEN 1 AND 200 AND name !~ '^\s|\s$|[[:cntrl:]]') IS NOT TRUE)
        AND NOT EXISTS (SELECT FROM unnest(payloads) AS p WHERE (octet_length(p) <= most_bytes) IS NOT TRUE)
        AND NOT EXISTS (SELECT FROM unnest(header_values) AS h WHERE jsonb_typeof(h) <> 'object')
    THEN
        -- unnest in the select list, and not in FROM, where each array would be stored once more.
        INSERT INTO job (id, queue, type, state, priority, run_at, payload, headers, max_attempts, timeout, created_at)
        SELECT g.id, coalesce(g.queue, 'default'), g.type, 'PENDING', coalesce(g.priority, 0), clock, g.payload,
            coalesce(g.header, '{}'), coalesce(policy.max_attempts, 3), policy.timeout, clock
        FROM (SELECT unnest(ids) AS id, unnest(types) AS type, unnest(payload_values) AS payload,
                unnest(queues) AS queue, unnest(priorities) AS priority, unnest(header_values) AS header) AS g
            LEFT JOIN retry_policy policy ON policy.type = g.type;
    ELSE
        IF array_position(ids, NULL) IS NOT NULL OR ids IS NULL THEN
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
