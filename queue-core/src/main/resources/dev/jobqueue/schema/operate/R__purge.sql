-- DEAD -> gone, with its steps and events.
CREATE OR REPLACE FUNCTION purge(id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM dead_letter d WHERE d.id = purge.id;
    IF NOT FOUND THEN
        PERFORM internal_no_dead_letter(id);
    END IF;
    PERFORM internal_forget(ARRAY[id]);
END
$$;

REVOKE ALL ON FUNCTION purge(uuid) FROM PUBLIC;
