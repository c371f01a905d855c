-- Stops claiming from a queue, on all nodes; publishing goes on, running jobs finish.
CREATE OR REPLACE FUNCTION pause(queue text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM internal_check_name('queue', queue);
    INSERT INTO queue AS q (name, paused_at) VALUES (pause.queue, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET paused_at = coalesce(q.paused_at, excluded.paused_at);
END
$$;

REVOKE ALL ON FUNCTION pause(text) FROM PUBLIC;
