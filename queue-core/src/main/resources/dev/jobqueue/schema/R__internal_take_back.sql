-- RUNNING -> PENDING, or DEAD when no attempt is left (CANCELLED where it was asked): for rescue, which holds the rows' locks.
CREATE OR REPLACE FUNCTION internal_take_back(ids uuid[], reasons text[])
RETURNS TABLE (id uuid, queue text, type text, state text, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    run_ats timestamptz[];
    queues text[];
BEGIN
    RETURN QUERY
    SELECT job.id, job.queue, job.type, CASE WHEN cancel_requested_at IS NOT NULL THEN 'CANCELLED'
        WHEN attempt < max_attempts THEN 'PENDING' ELSE 'DEAD' END, g.reason
    FROM unnest(ids, reasons) AS g (id, reason) JOIN job ON job.id = g.id;

    WITH back AS (
        UPDATE job SET state = 'PENDING', lease = NULL, worker_id = NULL, claimed_at = NULL, timeout_at = NULL,
            errors = internal_add_error(errors, attempt, clock, g.reason)
        FROM unnest(ids, reasons) AS g (id, reason)
        WHERE job.id = g.id AND cancel_requested_at IS NULL AND attempt < max_attempts
        RETURNING queue, run_at)
    SELECT array_agg(queue), array_agg(run_at) INTO queues, run_ats FROM back;
    -- Those still running now are the others.
    PERFORM internal_bury(array_agg(g.id), array_agg(g.reason),
        array_agg(format('attempt %s of %s was lost', attempt, max_attempts)))
    FROM unnest(ids, reasons) AS g (id, reason) JOIN job ON job.id = g.id
    WHERE state = 'RUNNING' AND cancel_requested_at IS NULL;
    PERFORM internal_cancel(ARRAY(SELECT job.id FROM job WHERE job.id = ANY (ids) AND state = 'RUNNING'));
    PERFORM internal_rewind(queues, run_ats);
END
$$;

REVOKE ALL ON FUNCTION internal_take_back(uuid[], text[]) FROM PUBLIC;
