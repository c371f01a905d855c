-- How many jobs match a filter (find_jobs). Stops after 20,000 rows looked at, or max if that is more, and tells no
-- more than max: then there are at least so many. Looks at dead letters in any order where an index alone may do.
CREATE OR REPLACE FUNCTION count_jobs(filter jsonb, max int DEFAULT 10000)
RETURNS TABLE (jobs bigint, is_at_least boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
DECLARE
    budget constant int := greatest(max, 20000);
    source record;
BEGIN
    PERFORM internal_check_filter(filter);
    IF (max BETWEEN 1 AND 100000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', max::text, 'must be between 1 and 100000');
    END IF;
    SELECT * INTO source FROM internal_source(filter, false, false);
    RETURN QUERY EXECUTE format(
            'SELECT least(count(*) FILTER (WHERE c.matches), $15),
                count(*) >= $16 OR count(*) FILTER (WHERE c.matches) >= $15
            FROM (SELECT %s AS matches FROM (%s) AS s WHERE %s %s LIMIT $16) AS c', source.matching, source.walked,
            source.condition, CASE WHEN filter ->> 'state' <> 'DEAD'
                OR coalesce(filter ->> 'unique_key', filter ->> 'error_like') IS NOT NULL
                THEN 'ORDER BY ' || source.ordering END)
        USING filter ->> 'queue', filter ->> 'type', NULL::text, NULL::int, NULL::timestamptz, NULL::uuid,
            filter ->> 'unique_key', filter ->> 'error_like', (filter ->> 'since')::timestamptz,
            (filter ->> 'before')::timestamptz, filter ->> 'state', NULL::text, filter ->> 'fingerprint',
            (filter ->> 'flow')::uuid, count_jobs.max::bigint, budget;
END
$$;

REVOKE ALL ON FUNCTION count_jobs(jsonb, int) FROM PUBLIC;
