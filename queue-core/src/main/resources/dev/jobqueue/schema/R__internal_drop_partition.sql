-- Drops one partition of job_history with the steps and events of its jobs; false if somebody is in the way.
-- The short wait matters: while this waits for its lock, everybody who completes jobs waits behind it.
CREATE OR REPLACE FUNCTION internal_drop_partition(partition regclass) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms'
AS $$
DECLARE
    ids uuid[];
BEGIN
    EXECUTE format('SELECT array_agg(id) FROM %s WHERE steps > 0 OR events > 0', partition) INTO ids;
    PERFORM internal_forget(ids);
    EXECUTE format('DROP TABLE %s', partition);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END
$$;

REVOKE ALL ON FUNCTION internal_drop_partition(regclass) FROM PUBLIC;
