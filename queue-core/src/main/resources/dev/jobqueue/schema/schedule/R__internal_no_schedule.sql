-- Refuses the name of a schedule that is not there (JQ404).
CREATE OR REPLACE FUNCTION internal_no_schedule(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RAISE EXCEPTION 'there is no schedule %', coalesce(quote_literal(name), 'null')
        USING ERRCODE = 'JQ404', HINT = 'find_schedules() lists those that are there.';
END
$$;

REVOKE ALL ON FUNCTION internal_no_schedule(text) FROM PUBLIC;
