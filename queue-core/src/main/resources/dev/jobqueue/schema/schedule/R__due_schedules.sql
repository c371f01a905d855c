-- The schedules that are due and that no other node is firing, locked until the transaction ends: work out the times,
-- call fire_schedules, commit. Without next_run_at: not worked out yet, count from counted_from.
-- A schedule of an application (owner, its name) is fired by its own nodes only, so that misfire holds after its
-- absence.
CREATE OR REPLACE FUNCTION due_schedules(max int DEFAULT 500, owner text DEFAULT NULL) RETURNS TABLE (
    name text, cron text, every_ms bigint, zone text, misfire text, next_run_at timestamptz, counted_from timestamptz,
    clock timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
BEGIN
    IF (due_schedules.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', due_schedules.max::text, 'must be at least 1');
    END IF;
    -- A node that hangs while it holds the locks loses them, and others fire.
    PERFORM set_config('idle_in_transaction_session_timeout', '10s', true);
    RETURN QUERY
    SELECT s.name, s.cron, (extract(epoch FROM s.every) * 1000)::bigint, s.zone, s.misfire, s.next_run_at,
        s.counted_from, clock
    FROM schedule AS s WHERE s.active AND coalesce(s.next_run_at, '-infinity') <= clock
        AND (s.owner IS NULL OR s.owner = due_schedules.owner)
    ORDER BY coalesce(s.next_run_at, '-infinity') LIMIT due_schedules.max FOR UPDATE SKIP LOCKED;
END
$$;

-- When to call it again: now, if some are due; NULL, if there is none.
CREATE OR REPLACE FUNCTION next_schedule(owner text DEFAULT NULL) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET jit = off
AS $$
BEGIN
    RETURN (SELECT greatest(clock_timestamp(), coalesce(s.next_run_at, '-infinity')) FROM schedule AS s
        WHERE s.active AND (s.owner IS NULL OR s.owner = next_schedule.owner)
        ORDER BY coalesce(s.next_run_at, '-infinity') LIMIT 1);
END
$$;

REVOKE ALL ON FUNCTION due_schedules(int, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION next_schedule(text) FROM PUBLIC;
