-- DEAD -> PENDING, attempt 0.
CREATE OR REPLACE FUNCTION replay(id uuid) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM FROM dead_letter d WHERE d.id = replay.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM internal_no_dead_letter(id);
    ELSIF internal_replay(ARRAY[id]) = 0 THEN
        PERFORM internal_invalid('id', id::text, 'must have no live job of its type with the same unique key (or id)');
    END IF;
    RETURN id;
END
$$;

REVOKE ALL ON FUNCTION replay(uuid) FROM PUBLIC;
