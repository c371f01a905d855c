-- RUNNING -> COMPLETED.
CREATE OR REPLACE FUNCTION complete(id uuid, lease bigint, result jsonb DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM complete_many(ARRAY[id], ARRAY[lease], CASE WHEN result IS NOT NULL THEN ARRAY[result::text] END);
    IF FOUND THEN
        PERFORM internal_refuse(id, lease);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION complete(uuid, bigint, jsonb) FROM PUBLIC;
