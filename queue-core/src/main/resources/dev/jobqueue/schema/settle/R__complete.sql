-- RUNNING -> COMPLETED.
-- Called in the transaction of a handler, which must not wait for as long as a stranger holds the row locked: 55P03.
CREATE OR REPLACE FUNCTION complete(id uuid, lease bigint, result jsonb DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s'
AS $$
BEGIN
    PERFORM complete_many(ARRAY[id], ARRAY[lease], CASE WHEN result IS NOT NULL THEN ARRAY[result::text] END);
    IF FOUND THEN
        PERFORM internal_refuse(id, lease);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION complete(uuid, bigint, jsonb) FROM PUBLIC;
