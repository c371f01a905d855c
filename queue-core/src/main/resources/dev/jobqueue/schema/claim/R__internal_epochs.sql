-- The epochs in which there may be entries; normally just the current one.
CREATE OR REPLACE FUNCTION internal_epochs() RETURNS int[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    known record;
    latest int;
BEGIN
    SELECT e.upto, e.older INTO known FROM epoch e ORDER BY e.number DESC LIMIT 1;
    latest := pg_sequence_last_value('current_epoch');
    IF known.upto = latest AND known.older = '{}' THEN
        RETURN ARRAY[latest];
    END IF;
    -- A dump has the sequence from a later moment than the tables.
    RETURN coalesce(known.older, '{}') || ARRAY(SELECT generate_series(coalesce(known.upto, 1), latest));
END
$$;

REVOKE ALL ON FUNCTION internal_epochs() FROM PUBLIC;
