-- How many dead letters replay_all or purge_all would take, without touching them. Stops at max: "at least".
CREATE OR REPLACE FUNCTION count_dead(
    queue text DEFAULT NULL, type text DEFAULT NULL, error_like text DEFAULT NULL, older_than interval DEFAULT NULL,
    replayable boolean DEFAULT false, max int DEFAULT 100000
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF (max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', max::text, 'must be at least 1');
    END IF;
    PERFORM internal_check_pattern('error_like', error_like);
    PERFORM internal_check_span('older_than', older_than, 0);
    RETURN (SELECT count(*) FROM (
        SELECT FROM dead_letter d
        WHERE (count_dead.queue IS NULL OR d.queue = count_dead.queue)
            AND (count_dead.type IS NULL OR d.type = count_dead.type)
            AND (error_like IS NULL OR d.errors -> -1 ->> 'error' LIKE error_like)
            AND (older_than IS NULL OR d.died_at < clock_timestamp() - older_than)
            AND NOT (replayable AND EXISTS (
                SELECT FROM job j WHERE j.type = d.type AND j.unique_key = d.unique_key))
        LIMIT count_dead.max) c);
END
$$;

REVOKE ALL ON FUNCTION count_dead(text, text, text, interval, boolean, int) FROM PUBLIC;
