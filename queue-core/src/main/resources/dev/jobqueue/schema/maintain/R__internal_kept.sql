-- How long history is kept: a row for each queue with a retention of its own, and one without a name for all others.
-- What finished before expired_to may go. A retention of a day or more counts in whole days (UTC), so that it ends with
-- a partition.
CREATE OR REPLACE FUNCTION internal_kept(clock timestamptz)
RETURNS TABLE (name text, retention interval, pruned_to timestamptz, expired_to timestamptz, is_longest boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT k.name, k.retention, k.pruned_to, CASE WHEN k.retention < interval '1 day' THEN clock - k.retention
            ELSE date_trunc('day', clock - k.retention, 'UTC') END,
        k.retention = max(k.retention) OVER ()
    FROM (SELECT q.name, q.retention, q.pruned_to FROM queue q WHERE q.retention IS NOT NULL
        UNION ALL SELECT NULL, s.retention, s.pruned_to FROM setting s) AS k
$$;

REVOKE ALL ON FUNCTION internal_kept(timestamptz) FROM PUBLIC;
