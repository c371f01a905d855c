-- RUNNING -> PENDING, the attempt given back (CANCELLED where that was asked): a worker shuts down.
-- Returns the ids that were refused, because they do not run under that lease.
CREATE OR REPLACE FUNCTION release(ids uuid[], leases bigint[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    cancelled uuid[];
    refused uuid[];
    queues text[];
    run_ats timestamptz[];
BEGIN
    PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    PERFORM internal_lock(ids, leases);
    SELECT array_agg(g.id) FILTER (WHERE job.id IS NULL), array_agg(g.id) FILTER (WHERE cancel_requested_at IS NOT NULL)
    INTO refused, cancelled
    FROM unnest(ids, leases) AS g (id, lease) LEFT JOIN job ON job.id = g.id AND job.lease = g.lease;

    PERFORM internal_cancel(cancelled);
    WITH back AS (
        UPDATE job SET state = 'PENDING', attempt = attempt - 1,
            lease = NULL, worker_id = NULL, claimed_at = NULL, timeout_at = NULL
        FROM unnest(ids, leases) AS g (id, lease) WHERE job.id = g.id AND job.lease = g.lease
        RETURNING queue, run_at)
    SELECT array_agg(queue), array_agg(run_at) INTO queues, run_ats FROM back;
    PERFORM internal_rewind(queues, run_ats);
    RETURN QUERY SELECT unnest(refused);
END
$$;

REVOKE ALL ON FUNCTION release(uuid[], bigint[]) FROM PUBLIC;
