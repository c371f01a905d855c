-- SCHEDULED, PENDING, RUNNING -> CANCELLED: for callers that hold the rows' locks.
CREATE OR REPLACE FUNCTION internal_cancel(ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    kept boolean;
    exceptions text[];
    emptied uuid[];
BEGIN
    IF ids = '{}' IS NOT FALSE THEN
        RETURN;
    END IF;
    SELECT * INTO kept, exceptions FROM internal_retention();
    WITH gone AS (
        DELETE FROM job WHERE id = ANY (ids) RETURNING *, (queue = ANY (exceptions)) <> kept AS keep
    ), history AS (
        INSERT INTO job_history (id, queue, type, state, priority, run_at, payload, headers, attempt, max_attempts,
            timeout, unique_key, created_at, worker_id, claimed_at, errors, steps, events, finished_at)
        SELECT id, queue, type, 'CANCELLED', priority, run_at, payload, headers, attempt, coalesce(max_attempts,
                (SELECT p.max_attempts FROM retry_policy p WHERE p.type = gone.type), 3),
            coalesce(timeout, (SELECT p.timeout FROM retry_policy p WHERE p.type = gone.type)),
            unique_key, created_at, worker_id, claimed_at, errors, steps, events, clock_timestamp()
        FROM gone WHERE keep
    )
    SELECT array_agg(id) INTO emptied FROM gone WHERE NOT keep AND (steps > 0 OR events > 0);
    PERFORM internal_forget(emptied);
END
$$;

REVOKE ALL ON FUNCTION internal_cancel(uuid[]) FROM PUBLIC;
