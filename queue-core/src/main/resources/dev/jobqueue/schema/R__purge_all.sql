-- DEAD -> gone: all that match (NULL matches everything; error_like is a LIKE pattern for the last error).
CREATE OR REPLACE FUNCTION purge_all(
    queue text DEFAULT NULL, type text DEFAULT NULL, error_like text DEFAULT NULL, older_than interval DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    ids uuid[];
BEGIN
    PERFORM internal_check_pattern('error_like', error_like);
    PERFORM internal_check_span('older_than', older_than, 0);
    ids := ARRAY(
        SELECT d.id FROM dead_letter d
        WHERE (purge_all.queue IS NULL OR d.queue = purge_all.queue)
            AND (purge_all.type IS NULL OR d.type = purge_all.type)
            AND (error_like IS NULL OR d.errors -> -1 ->> 'error' LIKE error_like)
            AND (older_than IS NULL OR d.died_at < clock_timestamp() - older_than)
        FOR UPDATE OF d SKIP LOCKED);
    DELETE FROM dead_letter d WHERE d.id = ANY (ids);
    PERFORM internal_forget(ids);
    RETURN cardinality(ids);
END
$$;

REVOKE ALL ON FUNCTION purge_all(text, text, text, interval) FROM PUBLIC;
