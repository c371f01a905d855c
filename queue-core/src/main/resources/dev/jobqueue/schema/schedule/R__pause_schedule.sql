-- Stops a schedule on all nodes, until resume_schedule; neither a restart nor set_schedule starts it again.
CREATE OR REPLACE FUNCTION pause_schedule(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE schedule AS s SET paused_at = coalesce(s.paused_at, clock_timestamp()) WHERE s.name = pause_schedule.name;
    IF NOT FOUND THEN
        PERFORM internal_no_schedule(pause_schedule.name);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION pause_schedule(text) FROM PUBLIC;
