-- DEAD -> gone, with its steps and events.
CREATE OR REPLACE FUNCTION purge(id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    gone dead_letter;
BEGIN
    DELETE FROM dead_letter d WHERE d.id = purge.id RETURNING * INTO gone;
    IF NOT FOUND THEN
        PERFORM internal_no_dead_letter(id);
    ELSIF gone.line IS NOT NULL THEN
        PERFORM internal_leave(ARRAY[(gone.id, gone.queue, gone.type, gone.limits, gone.limit_keys, gone.gates,
            gone.line, gone.seq)::limited], NULL);
    END IF;
    PERFORM internal_forget(ARRAY[id]);
    PERFORM internal_free_keys(ARRAY[id], ARRAY[gone.type], ARRAY[gone.unique_key]);
END
$$;

REVOKE ALL ON FUNCTION purge(uuid) FROM PUBLIC;
