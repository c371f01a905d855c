-- Deletes a schedule; false if there was none. Jobs it published stay. One that code or configuration defines comes
-- back with the next start: pause it instead.
CREATE OR REPLACE FUNCTION delete_schedule(name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM schedule AS s WHERE s.name = delete_schedule.name;
    RETURN FOUND;
END
$$;

REVOKE ALL ON FUNCTION delete_schedule(text) FROM PUBLIC;
