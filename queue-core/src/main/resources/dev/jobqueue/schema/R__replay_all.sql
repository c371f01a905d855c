-- DEAD -> PENDING, attempt 0: all that match (NULL matches all; error_like is a LIKE pattern for the last error).
-- Those whose unique key a live job holds stay dead, and do not count towards max.
CREATE OR REPLACE FUNCTION replay_all(
    queue text DEFAULT NULL, type text DEFAULT NULL, error_like text DEFAULT NULL, max int DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF max < 1 THEN
        PERFORM internal_invalid('max', max::text, 'must be at least 1');
    END IF;
    PERFORM internal_check_pattern('error_like', error_like);
    RETURN internal_replay(ARRAY(
        SELECT d.id FROM dead_letter d
        WHERE (replay_all.queue IS NULL OR d.queue = replay_all.queue)
            AND (replay_all.type IS NULL OR d.type = replay_all.type)
            AND (error_like IS NULL OR d.errors -> -1 ->> 'error' LIKE error_like)
            AND NOT EXISTS (SELECT FROM job j WHERE j.type = d.type AND j.unique_key = d.unique_key)
        ORDER BY d.died_at, d.id LIMIT replay_all.max FOR UPDATE OF d SKIP LOCKED));
END
$$;

REVOKE ALL ON FUNCTION replay_all(text, text, text, int) FROM PUBLIC;
