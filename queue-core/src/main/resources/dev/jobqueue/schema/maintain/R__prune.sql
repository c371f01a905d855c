-- COMPLETED, CANCELLED -> gone, once past retention; and everything else that nobody needs any more.
-- Bounded by max rows: call again while more is true. One session at a time; others return at once.
CREATE OR REPLACE FUNCTION prune(max int DEFAULT 10000) RETURNS TABLE (thing text, removed bigint, more boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    total bigint;
    orphans uuid[];
    dropped bigint;
BEGIN
    IF (prune.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', prune.max::text, 'must be at least 1');
    ELSIF NOT pg_try_advisory_xact_lock(hashtextextended('jobqueue prune of ' || current_schema(), 0)) THEN
        RETURN;
    END IF;

    DELETE FROM worker w WHERE w.id IN (
        SELECT d.id FROM worker d WHERE d.dead_at < clock - interval '1 day'
            AND NOT EXISTS (SELECT FROM lease l WHERE l.worker_id = d.id)
        FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS total = ROW_COUNT;
    RETURN QUERY SELECT 'worker', total, false;

    -- Steps and events go with their job. What is left without one (a partition dropped by hand) is met at the low end,
    -- because ids sort by time: look at the oldest only.
    orphans := ARRAY(
        SELECT s.job_id FROM (
            (SELECT DISTINCT job_id FROM job_step ORDER BY job_id LIMIT 1000)
            UNION
            (SELECT DISTINCT job_id FROM job_event ORDER BY job_id LIMIT 1000)) s
        WHERE NOT EXISTS (SELECT FROM job j WHERE j.id = s.job_id)
            AND NOT EXISTS (SELECT FROM dead_letter d WHERE d.id = s.job_id)
            AND NOT EXISTS (SELECT FROM job_history h WHERE h.id = s.job_id));
    PERFORM internal_forget(orphans);
    RETURN QUERY SELECT 'orphan', cardinality(orphans)::bigint, cardinality(orphans) >= 1000;
    DELETE FROM audit a WHERE a.id IN (
        SELECT o.id FROM audit o WHERE o.at < clock - interval '90 days' ORDER BY o.at LIMIT prune.max);
    GET DIAGNOSTICS total = ROW_COUNT;
    RETURN QUERY SELECT 'audit', total, total >= prune.max;
    PERFORM internal_trim_given_ids();
    total := internal_trim_taken_keys(prune.max);
    RETURN QUERY SELECT 'taken key', total, total >= prune.max;
    total := internal_prune_flows(clock, least(prune.max, 1000));
    RETURN QUERY SELECT 'flow', total, total >= least(prune.max, 1000);
    PERFORM internal_trim_epochs();
    RETURN QUERY SELECT 'without place', internal_sweep(2000), false;
    RETURN QUERY SELECT 'line without turn', internal_tend_lines(1000), false;

    -- Dropping holds locks on job_history until the caller commits: the rows are left to the next call then.
    dropped := internal_prune_partitions(clock, prune.max);
    total := CASE WHEN dropped = 0 THEN internal_prune_rows(clock, prune.max) ELSE 0 END;
    RETURN QUERY VALUES ('history', total, total >= prune.max), ('partition', dropped, dropped > 0);
    PERFORM internal_make_partitions();
END
$$;

REVOKE ALL ON FUNCTION prune(int) FROM PUBLIC;
