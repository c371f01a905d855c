-- DEAD -> PENDING, attempt 0: those that match a filter (find_jobs), oldest first, at most max; cursor and dry_run as
-- in cancel_jobs. Those whose unique key a live job holds stay dead, and do not count towards max.
CREATE OR REPLACE FUNCTION replay_jobs(
    filter jsonb, after text DEFAULT NULL, max int DEFAULT 1000, dry_run boolean DEFAULT false
) RETURNS TABLE (jobs bigint, cursor text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    ids uuid[];
BEGIN
    PERFORM internal_check_batch(filter, '{DEAD}', max);
    SELECT w.ids, w.cursor INTO ids, cursor FROM internal_walk(filter, after, replay_jobs.max, oldest_first => true,
        further => 'NOT EXISTS (SELECT FROM job j WHERE j.type = s.type AND j.unique_key = s.key)') AS w;
    IF dry_run IS FALSE THEN
        ids := ARRAY(SELECT d.id FROM dead_letter d WHERE d.id = ANY (ids) ORDER BY d.id FOR UPDATE SKIP LOCKED);
        jobs := internal_replay(ids);
    ELSE
        jobs := cardinality(ids);
    END IF;
    RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION replay_jobs(jsonb, text, int, boolean) FROM PUBLIC;
