-- Says which of the given jobs breaks which rule (JQ422), the first of them; does nothing if all are well.
CREATE OR REPLACE FUNCTION internal_refuse_jobs(
    ids uuid[], types text[], payloads text[], queues text[], priorities int[], run_ats timestamptz[],
    delays_ms bigint[], max_attempts int[], timeouts_ms bigint[], unique_keys text[], headers text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    name_rule constant text :=
        'must have 1 to 200 characters, none of them a control character, no blank at either end';
    ten_years_ms constant bigint := 315360000000;
    most_bytes constant int := (SELECT max_payload_bytes FROM setting WHERE only_row);
    header_values jsonb[];
    bad record;
BEGIN
    SELECT * INTO bad FROM (VALUES
        ('types', cardinality(types)), ('payloads', coalesce(cardinality(payloads), 0)), ('ids', cardinality(ids)),
        ('queues', cardinality(queues)), ('priorities', cardinality(priorities)), ('run_ats', cardinality(run_ats)),
        ('delays_ms', cardinality(delays_ms)), ('max_attempts', cardinality(internal_refuse_jobs.max_attempts)),
        ('timeouts_ms', cardinality(timeouts_ms)), ('unique_keys', cardinality(unique_keys)),
        ('headers', cardinality(internal_refuse_jobs.headers))
    ) AS given (argument, length) WHERE length <> coalesce(cardinality(types), 0) LIMIT 1;
    IF bad.argument IS NOT NULL THEN
        PERFORM internal_invalid(bad.argument, format('%s elements', bad.length),
            format('must have as many elements as types (%s)', coalesce(cardinality(types), 0)));
    END IF;

    -- Names repeat: each distinct one is looked at once. Numbers are counted for bad ones only; that saves a third.
    SELECT * INTO bad FROM (
        SELECT array_position(types, v) AS i, 'type' AS argument, v AS value, name_rule AS rule
            FROM (SELECT DISTINCT unnest(types) AS v) AS g
            WHERE (length(v) BETWEEN 1 AND 200 AND v !~ E'^\\s|\\s$|[[:cntrl:]]') IS NOT TRUE
        UNION ALL
        SELECT array_position(ids, NULL), 'id', NULL, 'must not be null' WHERE array_position(ids, NULL) IS NOT NULL
        UNION ALL
        SELECT array_position(queues, v), 'queue', v, name_rule
            FROM (SELECT DISTINCT unnest(queues) AS v) AS g
            WHERE NOT (length(v) BETWEEN 1 AND 200 AND v !~ E'^\\s|\\s$|[[:cntrl:]]')
        UNION ALL
        -- In bytes too, because type and key must fit one index entry.
        SELECT array_position(unique_keys, v), 'unique_key', v, 'must have 1 to 500 characters and at most 1,800 bytes'
            FROM (SELECT unnest(unique_keys) AS v) AS g
            WHERE NOT (length(v) BETWEEN 1 AND 500 AND octet_length(v) <= 1800)
        UNION ALL
        SELECT array_position(payloads, v), 'payload', coalesce(octet_length(v) || ' bytes', v),
                format('must not be null nor longer than %s bytes', most_bytes)
            FROM (SELECT unnest(payloads) AS v) AS g WHERE (octet_length(v) <= most_bytes) IS NOT TRUE
        UNION ALL
        SELECT array_position(internal_refuse_jobs.headers, v), 'headers', octet_length(v) || ' bytes',
                format('must not be longer than %s bytes', most_bytes)
            FROM (SELECT unnest(internal_refuse_jobs.headers) AS v) AS g WHERE octet_length(v) > most_bytes
        UNION ALL
        SELECT i, 'run_at', v::text, 'must be finite'
            FROM unnest(run_ats) WITH ORDINALITY AS g (v, i) WHERE NOT isfinite(v)
        UNION ALL
        SELECT i, 'delay', v || ' ms', 'must be at least 0 and at most 10 years, and not given together with run_at'
            FROM unnest(delays_ms, run_ats) WITH ORDINALITY AS g (v, run_at, i)
            WHERE v NOT BETWEEN 0 AND ten_years_ms OR (v IS NOT NULL AND g.run_at IS NOT NULL)
        UNION ALL
        SELECT i, 'max_attempts', v::text, 'must be at least 1'
            FROM unnest(internal_refuse_jobs.max_attempts) WITH ORDINALITY AS g (v, i) WHERE v < 1
        UNION ALL
        SELECT i, 'timeout', v || ' ms', 'must be more than 0 and at most 10 years'
            FROM unnest(timeouts_ms) WITH ORDINALITY AS g (v, i) WHERE v NOT BETWEEN 1 AND ten_years_ms
    ) AS bad ORDER BY i LIMIT 1;

    IF bad.i IS NULL THEN
        PERFORM internal_to_jsonb('payload', payloads);
        IF headers IS NOT NULL THEN
            header_values := internal_to_jsonb('headers', internal_refuse_jobs.headers);
            SELECT i, 'headers' AS argument, v::text AS value, 'must be a JSON object' AS rule INTO bad
                FROM unnest(header_values) WITH ORDINALITY AS g (v, i) WHERE jsonb_typeof(v) <> 'object' LIMIT 1;
        END IF;
    END IF;
    IF bad.i IS NOT NULL THEN
        PERFORM internal_invalid(
            bad.argument || CASE WHEN cardinality(types) > 1 THEN format(' of job %s', bad.i) ELSE '' END,
            bad.value, bad.rule);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_refuse_jobs(
    uuid[], text[], text[], text[], int[], timestamptz[], bigint[], int[], bigint[], text[], text[]) FROM PUBLIC;
