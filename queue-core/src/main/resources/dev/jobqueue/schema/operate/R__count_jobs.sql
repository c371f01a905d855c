-- How many jobs match a filter (find_jobs). Stops at max, or after 100,000 rows looked at: then there are at least so
-- many.
CREATE OR REPLACE FUNCTION count_jobs(filter jsonb, max int DEFAULT 10000)
RETURNS TABLE (jobs bigint, is_at_least boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM internal_check_filter(filter);
    IF (max BETWEEN 1 AND 100000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', max::text, 'must be between 1 and 100000');
    END IF;
    RETURN QUERY
    SELECT cardinality(w.ids)::bigint, w.cursor IS NOT NULL
    FROM internal_walk(filter, NULL, count_jobs.max, budget => 100000) AS w;
END
$$;

REVOKE ALL ON FUNCTION count_jobs(jsonb, int) FROM PUBLIC;
