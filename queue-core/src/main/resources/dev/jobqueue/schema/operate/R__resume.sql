-- Claiming goes on after pause; wakes the workers. A queue that was not paused stays as it is.
CREATE OR REPLACE FUNCTION resume(queue text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM internal_check_name('queue', queue);
    UPDATE queue AS q SET paused_at = NULL WHERE q.name = resume.queue AND q.paused_at IS NOT NULL;
    PERFORM pg_notify(current_schema(), resume.queue);
END
$$;

REVOKE ALL ON FUNCTION resume(text) FROM PUBLIC;
