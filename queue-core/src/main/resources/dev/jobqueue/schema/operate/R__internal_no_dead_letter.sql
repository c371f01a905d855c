-- Refuses an id that is not among the dead letters (JQ404).
CREATE OR REPLACE FUNCTION internal_no_dead_letter(id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RAISE EXCEPTION 'id is %: no dead letter has it', coalesce(quote_literal(id), 'null')
        USING ERRCODE = 'JQ404', HINT = 'It was replayed or purged, or never died.';
END
$$;

REVOKE ALL ON FUNCTION internal_no_dead_letter(uuid) FROM PUBLIC;
