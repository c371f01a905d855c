-- Drops one partition of job_history with the steps and events of its jobs; false if somebody is in the way. The rows
-- that are kept move to the default partition. The short wait matters: while this waits for its lock, everybody who
-- completes jobs waits behind it.
CREATE OR REPLACE FUNCTION internal_drop_partition(partition regclass, kept uuid[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms'
AS $$
DECLARE
    ids uuid[];
BEGIN
    EXECUTE format('SELECT array_agg(id) FROM %s WHERE (steps > 0 OR events > 0) AND id <> ALL ($1)', partition)
    INTO ids USING kept;
    PERFORM internal_forget(ids);
    IF kept <> '{}' THEN
        EXECUTE format('ALTER TABLE job_history DETACH PARTITION %s', partition);
        EXECUTE format('INSERT INTO job_history_default SELECT * FROM %s WHERE id = ANY ($1)', partition) USING kept;
    END IF;
    EXECUTE format('DROP TABLE %s', partition);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END
$$;

REVOKE ALL ON FUNCTION internal_drop_partition(regclass, uuid[]) FROM PUBLIC;
