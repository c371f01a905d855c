-- The epoch that new entries of ready and scheduled carry, held open until the end of the transaction.
CREATE OR REPLACE FUNCTION internal_enter() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    entered int;
BEGIN
    LOOP
        entered := pg_sequence_last_value('current_epoch');
        PERFORM pg_advisory_xact_lock_shared(hashtext('jobqueue epochs of ' || current_schema()), entered);
        -- It may have been closed in between.
        EXIT WHEN entered = pg_sequence_last_value('current_epoch');
    END LOOP;
    RETURN entered;
END
$$;

REVOKE ALL ON FUNCTION internal_enter() FROM PUBLIC;
