-- -> PENDING: one job for each schedule and time given, ids in that order. The unique key stands against firing a time
-- twice while its job lives.
CREATE OR REPLACE FUNCTION internal_fire(names text[], fire_ats timestamptz[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    a record;
BEGIN
    SELECT array_agg(s.type ORDER BY g.i) AS types, array_agg(s.payload::text ORDER BY g.i) AS payloads,
        array_agg(s.queue ORDER BY g.i) AS queues, array_agg(s.priority ORDER BY g.i) AS priorities,
        array_agg(s.max_attempts ORDER BY g.i) AS max_attempts,
        array_agg(internal_check_span('timeout', s.timeout, 1) ORDER BY g.i) AS timeouts,
        array_agg(format('schedule:%s:%s', s.name, g.at_text) ORDER BY g.i) AS unique_keys,
        array_agg((s.headers || jsonb_build_object('schedule', s.name, 'schedule-time', g.at_text))::text ORDER BY g.i)
            AS headers
    INTO a FROM (
        SELECT u.name, u.i, to_char(u.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at_text
        FROM unnest(names, fire_ats) WITH ORDINALITY AS u (name, at, i)) AS g
    JOIN schedule AS s ON s.name = g.name;
    RETURN QUERY SELECT published FROM publish_many(ids => NULL, types => a.types, payloads => a.payloads,
        queues => a.queues, priorities => a.priorities, max_attempts => a.max_attempts, timeouts_ms => a.timeouts,
        unique_keys => a.unique_keys, headers => a.headers, given_ids => false) AS published;
END
$$;

REVOKE ALL ON FUNCTION internal_fire(text[], timestamptz[]) FROM PUBLIC;
