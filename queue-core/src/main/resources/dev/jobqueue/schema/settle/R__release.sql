-- RUNNING -> PENDING, or WAITING with limits, without counting the attempt (CANCELLED where that was asked, or where a
-- newer job has taken the unique key): a worker shuts down.
-- Returns the ids that were refused, because they do not run under that lease.
-- DEAD, if the handler had begun and this happens to the job for the (max_attempts + 3)th time: the job itself may be
-- what stops its workers.
CREATE OR REPLACE FUNCTION release(ids uuid[], leases bigint[], begun boolean[] DEFAULT NULL) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    held record;
    ending record;
    back uuid[];
    lined limited[];
BEGIN
    PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    IF begun IS NOT NULL THEN
        PERFORM internal_check_pairs(ids, 'begun', cardinality(begun));
    END IF;
    SELECT array_agg(l.i) AS places, array_agg(l.id) AS ids, array_agg(l.number) AS numbers,
        array_agg(coalesce(begun[l.i], false)) AS begun
    INTO held FROM internal_lock(release.ids, leases) AS l;

    SELECT array_agg(h.id) AS ids, array_agg(h.number) AS numbers INTO ending
    FROM unnest(held.ids, held.numbers) AS h (id, number)
        CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id OFFSET 0) AS j
    WHERE j.cancel_requested_at IS NOT NULL OR j.superseded_by IS NOT NULL;
    PERFORM internal_cancel(ending.ids, ending.numbers);

    IF true = ANY (held.begun) THEN
        SELECT array_agg(j.id) AS ids, array_agg(h.number) AS numbers,
            array_agg(format('worker %s stopped while the attempt ran', l.worker_id)) AS errors,
            array_agg(format('it was running when its worker stopped, %s times', j.spared + 1)) AS reasons
        INTO ending FROM unnest(held.ids, held.numbers, held.begun) AS h (id, number, begun)
            CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id OFFSET 0) AS j
            CROSS JOIN LATERAL (SELECT * FROM lease l WHERE l.number = h.number OFFSET 0) AS l
        WHERE h.begun AND j.spared >= internal_max_attempts(j.type, j.max_attempts)::bigint + 2;
        PERFORM internal_bury(ending.ids, ending.numbers, ending.errors, ending.reasons);
    END IF;

    WITH freed AS (
        UPDATE job SET version = version + 1, timeout_at = NULL,
            spared = CASE WHEN h.begun THEN coalesce(spared, 0) + 1 ELSE spared END
        FROM unnest(held.ids, held.begun) AS h (id, begun) WHERE job.id = ANY (held.ids) AND job.id = h.id
        RETURNING job.*)
    SELECT array_agg(id), array_agg((id, queue, type, limits, limit_keys, gates, line, seq)::limited)
        FILTER (WHERE line IS NOT NULL)
    INTO back, lined FROM freed;
    IF lined IS NOT NULL THEN
        PERFORM internal_leave(lined, 'ALL');
    END IF;
    PERFORM internal_put(back, 'PENDING');
    PERFORM internal_tidy(held.numbers);
    RETURN QUERY SELECT g.id FROM unnest(release.ids) WITH ORDINALITY AS g (id, i)
    WHERE (g.i = ANY (held.places)) IS NOT TRUE;
END
$$;

REVOKE ALL ON FUNCTION release(uuid[], bigint[], boolean[]) FROM PUBLIC;
