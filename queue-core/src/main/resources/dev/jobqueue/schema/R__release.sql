-- RUNNING -> PENDING, the attempt given back (CANCELLED where that was asked): a worker shuts down.
-- Returns the ids that were refused, because they do not run under that lease.
-- DEAD, if the handler had begun and this happens to the job for the (max_attempts + 3)th time: the job itself may be what
-- stops its workers.
CREATE OR REPLACE FUNCTION release(ids uuid[], leases bigint[], begun boolean[] DEFAULT NULL) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    cancelled uuid[];
    refused uuid[];
    dying record;
    queues text[];
    run_ats timestamptz[];
BEGIN
    PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    IF begun IS NOT NULL THEN
        PERFORM internal_check_pairs(ids, 'begun', cardinality(begun));
    END IF;
    PERFORM internal_lock(ids, leases);
    SELECT array_agg(g.id) FILTER (WHERE job.id IS NULL), array_agg(g.id) FILTER (WHERE cancel_requested_at IS NOT NULL)
    INTO refused, cancelled
    FROM unnest(ids, leases) AS g (id, lease) LEFT JOIN job ON job.id = g.id AND job.lease = g.lease;

    PERFORM internal_cancel(cancelled);
    IF true = ANY (begun) THEN
        SELECT array_agg(job.id) AS ids,
            array_agg(format('worker %s stopped while the attempt ran', worker_id)) AS errors,
            array_agg(format('it was running when its worker stopped, %s times', interrupted + 1)) AS reasons
        INTO dying FROM unnest(ids, leases, begun) AS g (id, lease, begun)
        JOIN job ON job.id = g.id AND job.lease = g.lease
        WHERE g.begun AND interrupted + 1 >= max_attempts + 3;
        PERFORM internal_bury(dying.ids, dying.errors, dying.reasons);
    END IF;
    WITH back AS (
        UPDATE job SET state = 'PENDING', attempt = attempt - 1,
            interrupted = CASE WHEN g.begun THEN coalesce(interrupted, 0) + 1 ELSE interrupted END,
            lease = NULL, worker_id = NULL, claimed_at = NULL, timeout_at = NULL
        FROM unnest(ids, leases, begun) AS g (id, lease, begun) WHERE job.id = g.id AND job.lease = g.lease
        RETURNING queue, run_at)
    SELECT array_agg(queue), array_agg(run_at) INTO queues, run_ats FROM back;
    PERFORM internal_rewind(queues, run_ats);
    RETURN QUERY SELECT unnest(refused);
END
$$;

REVOKE ALL ON FUNCTION release(uuid[], bigint[], boolean[]) FROM PUBLIC;
