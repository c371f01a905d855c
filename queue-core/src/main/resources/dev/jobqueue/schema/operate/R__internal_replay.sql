-- DEAD -> PENDING, attempt 0: those of the given dead letters whose unique key no live job holds. Returns their number.
-- The caller holds the dead letters' locks. Errors, steps and events stay with the job.
CREATE OR REPLACE FUNCTION internal_replay(ids uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    back uuid[];
    linked linked[];
BEGIN
    WITH new AS (
        INSERT INTO job (id, queue, type, priority, run_at, payload, headers, max_attempts, timeout, unique_key,
            created_at, errors, steps, events, version, limits, limit_keys, gates, line, seq, flow, flow_step)
        SELECT id, queue, type, priority, clock_timestamp(), payload, headers, max_attempts, timeout, unique_key,
            created_at, errors, steps, events, (random() * 1000000000)::int, limits, limit_keys, gates, line, seq,
            flow, flow_step
        FROM dead_letter WHERE id = ANY (ids) ORDER BY type, unique_key, id
        ON CONFLICT DO NOTHING
        RETURNING id, flow, flow_step)
    SELECT array_agg(id), array_agg((flow, flow_step, NULL)::linked) FILTER (WHERE flow IS NOT NULL)
    INTO back, linked FROM new;
    DELETE FROM dead_letter WHERE id = ANY (back);
    PERFORM internal_put(back, 'PENDING');
    IF linked IS NOT NULL THEN
        INSERT INTO flow_tick (flow, what, jobs, steps)
        SELECT l.flow, 'DEAD', -count(*), array_agg(l.step) FILTER (WHERE l.step IS NOT NULL)
        FROM unnest(linked) AS l GROUP BY l.flow;
        PERFORM pg_notify(current_schema(), 'flow');
    END IF;
    RETURN coalesce(cardinality(back), 0);
END
$$;

REVOKE ALL ON FUNCTION internal_replay(uuid[]) FROM PUBLIC;
