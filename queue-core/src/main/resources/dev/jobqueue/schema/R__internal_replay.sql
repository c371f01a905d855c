-- DEAD -> PENDING, attempt 0: those of the given dead letters whose unique key no live job holds. Returns their number.
-- The caller holds the dead letters' locks. Errors, steps and events stay with the job.
CREATE OR REPLACE FUNCTION internal_replay(ids uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    back uuid[];
    queues text[];
    run_ats timestamptz[];
BEGIN
    WITH new AS (
        INSERT INTO job (id, queue, type, state, priority, run_at, payload, headers, max_attempts, timeout, unique_key,
            created_at, errors, steps, events)
        SELECT id, queue, type, 'PENDING', priority, clock_timestamp(), payload, headers, max_attempts, timeout,
            unique_key, created_at, errors, steps, events
        FROM dead_letter WHERE id = ANY (ids) ORDER BY type, unique_key, id
        ON CONFLICT DO NOTHING
        RETURNING id, queue, run_at)
    SELECT array_agg(id), array_agg(queue), array_agg(run_at) INTO back, queues, run_ats FROM new;
    DELETE FROM dead_letter WHERE id = ANY (back);
    PERFORM internal_rewind(queues, run_ats);
    RETURN coalesce(cardinality(back), 0);
END
$$;

REVOKE ALL ON FUNCTION internal_replay(uuid[]) FROM PUBLIC;
