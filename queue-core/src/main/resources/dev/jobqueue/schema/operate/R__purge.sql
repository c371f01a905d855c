-- DEAD -> gone, with its steps and events.
CREATE OR REPLACE FUNCTION purge(id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    gone record;
BEGIN
    DELETE FROM dead_letter d WHERE d.id = purge.id RETURNING d.type, d.unique_key INTO gone;
    IF NOT FOUND THEN
        PERFORM internal_no_dead_letter(id);
    END IF;
    PERFORM internal_forget(ARRAY[id]);
    PERFORM internal_free_keys(ARRAY[id], ARRAY[gone.type], ARRAY[gone.unique_key]);
END
$$;

REVOKE ALL ON FUNCTION purge(uuid) FROM PUBLIC;
