-- COMPLETED, CANCELLED -> gone, once past retention; and everything else that nobody needs any more.
-- Bounded: call again when 10,000 rows or more were removed. One session at a time; others return at once.
CREATE OR REPLACE FUNCTION prune() RETURNS TABLE (thing text, removed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    batch constant int := 10000;
    clock constant timestamptz := clock_timestamp();
    longest interval;
    kind record;
    partition record;
    gone record;
    orphans uuid[];
    total bigint := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('jobqueue prune of ' || current_schema(), 0)) THEN
        RETURN;
    END IF;

    DELETE FROM worker w WHERE w.id IN (
        SELECT d.id FROM worker d WHERE d.dead_at < clock - interval '1 day'
            AND NOT EXISTS (SELECT FROM job j WHERE j.worker_id = d.id AND j.state = 'RUNNING')
        FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS total = ROW_COUNT;
    RETURN QUERY SELECT 'worker', total;

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
    RETURN QUERY SELECT 'orphan', cardinality(orphans)::bigint;

    -- Row by row, what is kept for less time than the longest retention, each kind from where the last call ended; then
    -- what sits in the default partition.
    SELECT greatest(s.retention, (SELECT max(q.retention) FROM queue q)) INTO longest FROM setting s;
    total := 0;
    FOR kind IN
        SELECT q.name, q.retention, q.pruned_to FROM queue q WHERE q.retention < longest
        UNION ALL
        SELECT NULL, s.retention, s.pruned_to FROM setting s WHERE s.retention < longest
    LOOP
        WITH old AS (
            SELECT h.id, h.finished_at FROM job_history h
            WHERE h.finished_at >= kind.pruned_to AND h.finished_at < clock - kind.retention
                AND CASE WHEN kind.name IS NOT NULL THEN h.queue = kind.name
                    ELSE NOT EXISTS (SELECT FROM queue q WHERE q.name = h.queue AND q.retention IS NOT NULL) END
            ORDER BY h.finished_at LIMIT batch
        ), removed AS (
            DELETE FROM job_history h USING old WHERE h.id = old.id AND h.finished_at = old.finished_at
            RETURNING h.id, h.finished_at, h.steps > 0 OR h.events > 0 AS has_more
        )
        SELECT count(*) AS rows, max(finished_at) AS upto, array_agg(id) FILTER (WHERE has_more) AS ids
        INTO gone FROM removed;
        PERFORM internal_forget(gone.ids);
        total := total + gone.rows;
        IF gone.rows < batch THEN
            gone.upto := clock - kind.retention;
        END IF;
        UPDATE queue q SET pruned_to = gone.upto WHERE q.name = kind.name;
        UPDATE setting s SET pruned_to = gone.upto WHERE kind.name IS NULL;
    END LOOP;
    WITH removed AS (
        DELETE FROM job_history_default WHERE (id, finished_at) IN (
            SELECT d.id, d.finished_at FROM job_history_default d WHERE d.finished_at < clock - longest LIMIT batch)
        RETURNING id, steps > 0 OR events > 0 AS has_more)
    SELECT count(*) AS rows, array_agg(id) FILTER (WHERE has_more) AS ids INTO gone FROM removed;
    PERFORM internal_forget(gone.ids);
    RETURN QUERY SELECT 'history', total + gone.rows;

    -- Last, because these hold their locks on job_history until the caller commits.
    PERFORM internal_trim_rewind();
    PERFORM internal_make_partitions();
    total := 0;
    FOR partition IN
        SELECT i.inhrelid::regclass AS name, to_date(right(c.relname, 8), 'YYYYMMDD') AS day
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'job_history'::regclass AND c.relname ~ '_\d{8}$' ORDER BY 2
    LOOP
        EXIT WHEN (partition.day + 1)::timestamp AT TIME ZONE 'UTC' > clock - longest;
        EXIT WHEN NOT internal_drop_partition(partition.name);
        total := total + 1;
    END LOOP;
    RETURN QUERY SELECT 'partition', total;
END
$$;

REVOKE ALL ON FUNCTION prune() FROM PUBLIC;
