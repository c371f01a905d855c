-- Announces jobs that became pending again, by queue: to claims that have gone past their run_at, and to listeners.
CREATE OR REPLACE FUNCTION internal_rewind(queues text[], run_ats timestamptz[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF queues <> '{}' THEN
        INSERT INTO rewind (queue, run_at)
        SELECT g.queue, min(g.run_at) FROM unnest(queues, run_ats) AS g (queue, run_at) GROUP BY 1 ORDER BY 1;
        PERFORM pg_notify(current_schema(), q) FROM (SELECT DISTINCT unnest(queues)) AS g (q);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_rewind(text[], timestamptz[]) FROM PUBLIC;
