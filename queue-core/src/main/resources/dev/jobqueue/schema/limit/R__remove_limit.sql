-- A limit is gone: what waits for it starts. Returns whether there was one. Jobs that are published with its name from
-- now on are refused, those of types and queues that use it are without it.
CREATE OR REPLACE FUNCTION remove_limit(name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM internal_lock_limit(remove_limit.name);
    DELETE FROM job_limit l WHERE l.name = remove_limit.name;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM internal_turn_limit(remove_limit.name);
    PERFORM internal_let_go(remove_limit.name);
    RETURN true;
END
$$;

REVOKE ALL ON FUNCTION remove_limit(text) FROM PUBLIC;
