-- Locks limits against all who count them, until the transaction ends. locked: what this transaction has locked before;
-- returns that and what is new, NULL if somebody else has one of them for long. Waits only for what comes after all
-- that it has, so that two who lock several limits wait in one direction.
CREATE OR REPLACE FUNCTION internal_lock_limits(names text[], locked int[]) RETURNS int[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms'
AS $$
DECLARE
    class constant int := hashtext('jobqueue limits of ' || current_schema());
    wanted int;
BEGIN
    FOR wanted IN SELECT DISTINCT hashtext(n) AS key FROM unnest(names) AS n ORDER BY key LOOP
        CONTINUE WHEN wanted = ANY (locked);
        IF NOT pg_try_advisory_xact_lock(class, wanted) THEN
            IF (wanted > ALL (locked)) IS NOT TRUE THEN
                RETURN NULL;
            END IF;
            BEGIN
                PERFORM pg_advisory_xact_lock(class, wanted);
            EXCEPTION WHEN lock_not_available THEN
                RETURN NULL;
            END;
        END IF;
        locked := locked || wanted;
    END LOOP;
    RETURN locked;
END
$$;

REVOKE ALL ON FUNCTION internal_lock_limits(text[], int[]) FROM PUBLIC;
