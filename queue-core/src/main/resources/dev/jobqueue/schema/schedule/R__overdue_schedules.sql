-- The schedules that code and configuration define, with how long each has been waiting for a run that was due: 0 if it
-- is on time or paused. At most 1,000; those made at run time may be many, and are only counted.
CREATE OR REPLACE FUNCTION overdue_schedules() RETURNS TABLE (name text, overdue_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT s.name, CASE WHEN s.paused_at IS NOT NULL THEN 0 ELSE greatest(0, extract(epoch
        FROM clock_timestamp() - coalesce(s.unmet_since, s.next_run_at, s.counted_from)) * 1000) END::bigint
    FROM schedule AS s WHERE s.origin <> 'API' AND s.retired_at IS NULL ORDER BY s.name LIMIT 1000;
END
$$;

-- How many schedules of any origin have been waiting for longer than that; counting stops at max.
CREATE OR REPLACE FUNCTION count_overdue_schedules(late interval DEFAULT '1 minute', max int DEFAULT 10000)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
AS $$
BEGIN
    RETURN (SELECT count(*) FROM (
        SELECT FROM schedule AS s WHERE s.paused_at IS NULL AND s.retired_at IS NULL
            AND coalesce(s.unmet_since, s.next_run_at, s.counted_from) < clock_timestamp() - late
        LIMIT count_overdue_schedules.max) AS c);
END
$$;

REVOKE ALL ON FUNCTION overdue_schedules() FROM PUBLIC;
REVOKE ALL ON FUNCTION count_overdue_schedules(interval, int) FROM PUBLIC;
