-- -> PENDING: jobs that are due at once, under ids that were never used and without a unique key, so that nothing can
-- conflict. What most publishers need, at little more than the price of the insert; publish and publish_many do the rest.
-- (Java inserts jobs with small payloads and plain names into the table itself.)
-- Whatever does not look right at once is left to internal_new_jobs, which knows all rules and says which one is broken;
-- but text that is no JSON gets PostgreSQL's own error, because catching it would cost every caller.
CREATE OR REPLACE FUNCTION publish_plain(
    ids uuid[], types text[], payloads text[], queues text[] DEFAULT NULL, priorities int[] DEFAULT NULL,
    headers text[] DEFAULT NULL, notify boolean DEFAULT true
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    wanted constant int := cardinality(types);
    -- Mostly there is one of each: expressions then, because a query costs as much as inserting three jobs.
    alike constant boolean := types[1] = ALL (types) AND (queues IS NULL OR queues[1] = ALL (queues));
    sound boolean := cardinality(ids) = wanted AND cardinality(payloads) = wanted
        AND coalesce(cardinality(queues), wanted) = wanted AND coalesce(cardinality(priorities), wanted) = wanted
        AND coalesce(cardinality(publish_plain.headers), wanted) = wanted
        AND length(types[1]) BETWEEN 1 AND 200 AND types[1] !~ '^\s|\s$|[[:cntrl:]]'
        AND (length(queues[1]) BETWEEN 1 AND 200 AND queues[1] !~ '^\s|\s$|[[:cntrl:]]') IS NOT FALSE;
    inserted int := 0;
BEGIN
    IF sound AND alike IS NOT TRUE THEN
        sound := NOT EXISTS (SELECT FROM (SELECT unnest(types) UNION SELECT coalesce(q, 'default') FROM unnest(queues) AS q) AS n (name)
            WHERE (length(name) BETWEEN 1 AND 200 AND name !~ '^\s|\s$|[[:cntrl:]]') IS NOT TRUE);
    END IF;
    IF sound THEN
        -- unnest in the select list, and not in FROM, where each array would be stored once more.
        INSERT INTO job (id, queue, type, priority, payload, headers)
        SELECT g.id, coalesce(g.queue, 'default'), g.type, coalesce(g.priority, 0), g.payload::json, g.header
        FROM (SELECT unnest(ids) AS id, unnest(types) AS type, unnest(payloads) AS payload, unnest(queues) AS queue,
                unnest(priorities) AS priority, unnest(publish_plain.headers)::jsonb AS header) AS g
        WHERE g.id IS NOT NULL AND (g.header IS NULL OR jsonb_typeof(g.header) = 'object')
            -- A small payload needs no look at the setting.
            AND (octet_length(g.payload) <= 1000
                OR octet_length(g.payload) <= (SELECT max_payload_bytes FROM setting WHERE only_row));
        GET DIAGNOSTICS inserted = ROW_COUNT;
    END IF;
    IF (inserted = wanted AND wanted > 0) IS NOT TRUE THEN
        IF ids IS NULL OR array_position(ids, NULL) IS NOT NULL THEN
            PERFORM internal_invalid('ids', NULL, 'must not be null, nor any of them');
        END IF;
        -- Before internal_new_jobs reads the clock: run_at is then never older than this transaction (internal_look_back).
        PERFORM pg_current_xact_id();
        INSERT INTO job SELECT * FROM internal_new_jobs(ids, types, payloads, queues, priorities,
            NULL, NULL, NULL, NULL, NULL, publish_plain.headers);
    END IF;
    IF notify THEN
        PERFORM pg_notify(current_schema(), q)
        FROM (SELECT DISTINCT coalesce(q, 'default') FROM unnest(coalesce(queues, '{default}')) AS q) AS n (q);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION publish_plain(uuid[], text[], text[], text[], int[], text[], boolean) FROM PUBLIC;
