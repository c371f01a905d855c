-- RUNNING -> PENDING, or DEAD when no attempt is left (CANCELLED where it was asked): jobs whose worker stopped beating
-- or is not registered any more, and jobs past their own timeout. The attempt counts, the error says why.
-- How long a worker may be silent is its own to say; ttl is for those that do not.
-- Cheap when there is nothing to do: skips from worker to worker in job_running, reads the head of job_timeout.
CREATE OR REPLACE FUNCTION rescue(
    ttl interval DEFAULT '20 seconds', grace interval DEFAULT '0', max int DEFAULT 1000
) RETURNS TABLE (id uuid, queue text, type text, state text, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    ids uuid[];
    reasons text[];
    late_ids uuid[];
    late_reasons text[];
BEGIN
    IF internal_check_span('ttl', rescue.ttl, 0) IS NULL OR internal_check_span('grace', grace, 0) IS NULL THEN
        PERFORM internal_invalid('ttl and grace', NULL, 'must not be null');
    ELSIF (rescue.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', rescue.max::text, 'must be at least 1');
    END IF;

    -- A worker that is beating at this moment is skipped; one that was quicker is looked at again under the lock.
    UPDATE worker SET dead_at = clock WHERE id IN (
        SELECT w.id FROM worker w WHERE w.dead_at IS NULL AND w.beat_at < clock - coalesce(w.ttl, rescue.ttl)
        FOR UPDATE SKIP LOCKED);

    WITH RECURSIVE holder (worker_id) AS (
        (SELECT j.worker_id FROM job j WHERE j.worker_id IS NOT NULL ORDER BY j.worker_id LIMIT 1)
        UNION ALL
        SELECT (SELECT j.worker_id FROM job j WHERE j.worker_id > h.worker_id
            ORDER BY j.worker_id LIMIT 1)
        FROM holder h WHERE h.worker_id IS NOT NULL
    ), lost AS MATERIALIZED (
        SELECT h.worker_id, w.id IS NULL AS is_gone, CASE WHEN w.id IS NULL
                THEN format('worker %s is not registered any more', h.worker_id)
                ELSE format('worker %s on host %s stopped beating at %s', h.worker_id, coalesce(w.host, '?'), w.beat_at)
            END AS reason
        FROM holder h LEFT JOIN worker w ON w.id = h.worker_id
        WHERE h.worker_id IS NOT NULL AND (w.id IS NULL OR w.dead_at IS NOT NULL)
    ), locked AS MATERIALIZED (
        SELECT j.id, l.reason FROM lost l JOIN job j ON j.worker_id = l.worker_id AND j.state = 'RUNNING'
        WHERE NOT l.is_gone OR j.claimed_at < clock - rescue.ttl
        LIMIT rescue.max FOR UPDATE OF j SKIP LOCKED
    )
    SELECT coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.reason), '{}') INTO ids, reasons FROM locked l;

    SELECT array_agg(l.id), array_agg(format('timeout at %s', l.timeout_at)) INTO late_ids, late_reasons FROM (
        SELECT j.id, j.timeout_at FROM job j
        WHERE j.state = 'RUNNING' AND j.timeout_at < clock - grace AND j.id <> ALL (ids)
        ORDER BY j.timeout_at LIMIT rescue.max - cardinality(ids) FOR UPDATE SKIP LOCKED) l;
    ids := ids || late_ids;
    reasons := reasons || late_reasons;

    -- One that cannot be taken back, such as a damaged row, must not keep the others.
    IF ids <> '{}' THEN
        BEGIN
            RETURN QUERY SELECT * FROM internal_take_back(ids, reasons);
        EXCEPTION WHEN OTHERS THEN
            FOR n IN 1 .. cardinality(ids) LOOP
                BEGIN
                    RETURN QUERY SELECT * FROM internal_take_back(ids[n:n], reasons[n:n]);
                EXCEPTION WHEN OTHERS THEN
                    RAISE WARNING 'job % cannot be rescued: %', ids[n], SQLERRM;
                END;
            END LOOP;
        END;
    END IF;

    PERFORM internal_trim_rewind();
END
$$;

REVOKE ALL ON FUNCTION rescue(interval, interval, int) FROM PUBLIC;
