-- SCHEDULED -> PENDING: now, instead of at their time. Those that match a filter (find_jobs), at most max; cursor and
-- dry_run as in cancel_jobs.
CREATE OR REPLACE FUNCTION retry_jobs(
    filter jsonb, after text DEFAULT NULL, max int DEFAULT 1000, dry_run boolean DEFAULT false
) RETURNS TABLE (jobs bigint, cursor text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    ids uuid[];
BEGIN
    PERFORM internal_check_batch(filter, '{SCHEDULED}', max);
    SELECT w.ids, w.cursor INTO ids, cursor FROM internal_walk(filter, after, retry_jobs.max) AS w;
    IF dry_run IS FALSE THEN
        ids := internal_withdraw_many(ids, filter);
        UPDATE job SET run_at = clock_timestamp() WHERE job.id = ANY (ids);
        PERFORM internal_put(ids, 'PENDING');
    END IF;
    jobs := cardinality(ids);
    RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION retry_jobs(jsonb, text, int, boolean) FROM PUBLIC;
