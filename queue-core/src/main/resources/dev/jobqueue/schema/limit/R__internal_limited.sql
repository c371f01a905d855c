-- The limits of jobs that are about to be published, with keys, gates and lines; no element for a job without any, NULL
-- if none has any. given: an object of limits and keys for each job, which count besides those of its type and queue,
-- and instead of their keys. Refuses limits that there are not, and a second FIFO (JQ422).
CREATE OR REPLACE FUNCTION internal_limited(
    ids uuid[], types text[], queues text[], payloads json[], headers jsonb[], given text[]
) RETURNS limited[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    asked jsonb[];
    found limited[];
    bad text;
BEGIN
    IF given IS NULL AND NOT EXISTS (SELECT FROM limit_use u WHERE u.type = ANY (types)) AND NOT EXISTS (
            SELECT FROM limit_use u
            WHERE u.queue = ANY (array_replace(coalesce(queues, '{NULL}'), NULL, 'default'))) THEN
        RETURN NULL;
    ELSIF given IS NOT NULL THEN
        asked := internal_to_jsonb('limits', given);
        PERFORM internal_check_given_limits(asked, cardinality(types));
    END IF;
    SELECT array_agg(CASE WHEN l.limits IS NOT NULL THEN (g.id, g.queue, g.type, l.limits, l.keys, l.gates,
            hashtextextended(CASE WHEN l.fifo IS NULL THEN ROW (g.queue, g.type, l.limits, l.keys)::text
                ELSE ROW (g.queue, l.limits[l.fifo], l.keys[l.fifo])::text END, 0),
            CASE WHEN l.fifo IS NOT NULL THEN nextval('line_seq') END)::limited END ORDER BY g.i)
    INTO found FROM (
        SELECT u.i, u.id, u.type, coalesce(u.queue, 'default') AS queue, u.payload, u.headers, u.asked
        FROM unnest(ids, types, queues, payloads, internal_limited.headers, asked) WITH ORDINALITY
            AS u (id, type, queue, payload, headers, asked, i)) AS g
        CROSS JOIN LATERAL (
            SELECT array_agg(n.name ORDER BY n.name) AS limits, array_agg(n.key ORDER BY n.name) AS keys,
                array_agg(hashtextextended(n.name || E'\x1f' || n.key, 0) ORDER BY n.name) AS gates,
                array_position(array_agg(n.kind ORDER BY n.name), 'FIFO') AS fifo
            FROM (
                SELECT DISTINCT ON (e.name) e.name, coalesce(e.key, '') AS key, r.kind FROM (
                    SELECT k.key AS name, k.value AS key, 0 AS place FROM jsonb_each_text(g.asked) AS k
                    UNION ALL
                    SELECT u.name, internal_key(u.key, g.payload, g.headers), 1 FROM limit_use u WHERE u.type = g.type
                    UNION ALL
                    SELECT u.name, internal_key(u.key, g.payload, g.headers), 2 FROM limit_use u WHERE u.queue = g.queue
                ) AS e JOIN job_limit r ON r.name = e.name
                ORDER BY e.name, e.place) AS n) AS l;
    -- The order of a job can be that of one line only. Each of publisher, type and queue is checked where it is set.
    bad := (SELECT array_to_string(f.limits, ', ') FROM (
            SELECT DISTINCT u.limits FROM unnest(found) AS u WHERE cardinality(u.limits) > 1) AS f
        WHERE (SELECT count(*) FROM job_limit l WHERE l.name = ANY (f.limits) AND l.kind = 'FIFO') > 1 LIMIT 1);
    IF bad IS NOT NULL THEN
        PERFORM internal_invalid('limits', bad,
            'must have no more than one FIFO among those of the job, its type and its queue together');
    END IF;
    RETURN CASE WHEN array_remove(found, NULL) <> '{}' THEN found END;
END
$$;

-- The key of a job: what a path in its payload, or a header, says; cut to what keys may have.
CREATE OR REPLACE FUNCTION internal_key(path text, payload json, headers jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN left(CASE WHEN path IS NULL THEN ''
        WHEN path LIKE 'header:%' THEN headers ->> substr(path, 8)
        WHEN strpos(path, '.') = 0 THEN CASE WHEN json_typeof(payload) = 'object' THEN payload ->> path END
        ELSE payload #>> string_to_array(path, '.') END, 500);
END
$$;

CREATE OR REPLACE FUNCTION internal_check_given_limits(given jsonb[], wanted int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    bad record;
BEGIN
    IF cardinality(given) <> wanted THEN
        PERFORM internal_invalid('limits', format('%s elements', cardinality(given)),
            format('must have as many elements as types (%s)', wanted));
    END IF;
    SELECT g.v INTO bad FROM unnest(given) AS g (v)
    WHERE jsonb_typeof(g.v) <> 'object' OR (SELECT count(*) > 10 OR bool_or(jsonb_typeof(k.value) IN ('object', 'array')
        OR length(k.value #>> '{}') > 500) FROM jsonb_each(CASE jsonb_typeof(g.v) WHEN 'object' THEN g.v END) AS k)
    LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid('limits', bad.v::text,
            'must be an object of at most 10 limits, with a key of at most 500 characters each');
    END IF;
    PERFORM internal_check_limits(n.names) FROM (
        SELECT DISTINCT ARRAY(SELECT k FROM jsonb_object_keys(g.v) AS k ORDER BY k) FROM unnest(given) AS g (v)
        WHERE g.v IS NOT NULL) AS n (names);
END
$$;

REVOKE ALL ON FUNCTION internal_limited(uuid[], text[], text[], json[], jsonb[], text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_key(text, json, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_given_limits(jsonb[], int) FROM PUBLIC;
