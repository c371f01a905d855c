-- The schedule of that name; all of them, by name, if none is given.
CREATE OR REPLACE FUNCTION find_schedules(name text DEFAULT NULL) RETURNS SETOF schedule
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF find_schedules.name IS NOT NULL THEN
        RETURN QUERY SELECT * FROM schedule AS s WHERE s.name = find_schedules.name;
    ELSE
        RETURN QUERY SELECT * FROM schedule AS s ORDER BY s.name;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION find_schedules(text) FROM PUBLIC;
