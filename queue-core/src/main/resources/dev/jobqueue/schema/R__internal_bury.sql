-- RUNNING -> DEAD: for callers that hold the rows' locks. The last error and the reason come by job.
-- An id that died before (published again under a promise not kept) must not block the batch: the errors join.
CREATE OR REPLACE FUNCTION internal_bury(ids uuid[], errors text[], reasons text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    IF ids = '{}' IS NOT FALSE THEN
        RETURN;
    END IF;
    WITH gone AS (
        DELETE FROM job USING unnest(ids, internal_bury.errors, reasons) AS g (id, error, reason)
        WHERE job.id = g.id
        RETURNING job.*, g.error, g.reason, clock_timestamp() AS died_at
    )
    INSERT INTO dead_letter AS d (id, queue, type, priority, run_at, payload, headers, attempt, max_attempts, timeout,
        unique_key, created_at, worker_id, claimed_at, errors, steps, events, reason, died_at)
    SELECT id, queue, type, priority, run_at, payload, headers, attempt, max_attempts, timeout, unique_key, created_at,
        worker_id, claimed_at,
        coalesce(errors, '[]') || jsonb_build_object('attempt', attempt, 'at', died_at, 'error', error),
        steps, events, reason, died_at
    FROM gone
    ON CONFLICT (id) DO UPDATE SET errors = d.errors || excluded.errors, payload = excluded.payload,
        headers = excluded.headers, attempt = excluded.attempt, reason = excluded.reason, died_at = excluded.died_at;
END
$$;

REVOKE ALL ON FUNCTION internal_bury(uuid[], text[], text[]) FROM PUBLIC;
