-- RUNNING -> PENDING: jobs that their worker does not know of. One that cannot be given back, such as a damaged row, is
-- left alone: it must not keep the worker from beating, nor the others from going back.
CREATE OR REPLACE FUNCTION internal_give_back(ids uuid[], leases bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM release(ids, leases);
EXCEPTION WHEN OTHERS THEN
    FOR n IN 1 .. cardinality(ids) LOOP
        BEGIN
            PERFORM release(ids[n:n], leases[n:n]);
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING 'job % cannot be given back: %', ids[n], SQLERRM;
        END;
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION internal_give_back(uuid[], bigint[]) FROM PUBLIC;
