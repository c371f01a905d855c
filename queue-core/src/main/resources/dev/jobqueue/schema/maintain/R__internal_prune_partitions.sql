-- Drops the days of job_history in which nothing is kept any more; returns how many. A day in which few rows are kept,
-- by queues with a longer retention, goes too: those rows move to the default partition.
CREATE OR REPLACE FUNCTION internal_prune_partitions(clock timestamptz, max int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
DECLARE
    longest timestamptz;
    partition record;
    kept uuid[];
    dropped bigint := 0;
BEGIN
    SELECT min(k.expired_to) INTO longest FROM internal_kept(clock) AS k;
    FOR partition IN
        SELECT p.name, p.starts, p.starts + interval '24 hours' AS ends
        FROM (SELECT i.inhrelid::regclass AS name,
                to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' AS starts
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'job_history'::regclass AND c.relname ~ E'_\\d{8}$') AS p
        ORDER BY p.starts
    LOOP
        kept := '{}';
        IF partition.ends > longest THEN
            -- Looked at once for each retention, when that has passed: later its rows are removed one by one, or are
            -- gone.
            CONTINUE WHEN NOT EXISTS (SELECT FROM internal_kept(clock) AS k WHERE k.retention >= interval '1 day'
                AND k.expired_to >= partition.ends AND k.pruned_to <= partition.starts);
            kept := internal_few_kept(partition.name, clock - partition.ends, max);
            CONTINUE WHEN kept IS NULL;
        END IF;
        EXIT WHEN NOT internal_drop_partition(partition.name, kept);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$$;

REVOKE ALL ON FUNCTION internal_prune_partitions(timestamptz, int) FROM PUBLIC;

-- The rows of a partition that are kept for longer than its age; NULL if they are more than max or than the others.
CREATE OR REPLACE FUNCTION internal_few_kept(partition regclass, age interval, max int) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
DECLARE
    kept uuid[];
    total bigint;
BEGIN
    EXECUTE format('SELECT ARRAY(SELECT h.id FROM %s AS h LEFT JOIN queue AS q ON q.name = h.queue, setting AS s'
        ' WHERE coalesce(q.retention, s.retention) > $1 LIMIT $2)', partition) INTO kept USING age, max + 1;
    EXECUTE format('SELECT count(*) FROM (SELECT FROM %s LIMIT $1) AS h', partition) INTO total
        USING 2 * cardinality(kept);
    RETURN CASE WHEN cardinality(kept) <= max AND total >= 2 * cardinality(kept) THEN kept END;
END
$$;

REVOKE ALL ON FUNCTION internal_few_kept(regclass, interval, int) FROM PUBLIC;
