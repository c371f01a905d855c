-- The earliest moment at which rescue can find something, as things are now; NULL, if nobody can be late. Whoever
-- registers or claims later is late later: call again after the shortest ttl of any node, or a few seconds.
CREATE OR REPLACE FUNCTION next_rescue(ttl interval DEFAULT '20 seconds', grace interval DEFAULT '0')
RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    IF internal_check_span('ttl', ttl, 0) IS NULL OR internal_check_span('grace', grace, 0) IS NULL THEN
        PERFORM internal_invalid('ttl and grace', NULL, 'must not be null');
    END IF;
    RETURN least(
        (SELECT min(w.beat_at + coalesce(w.ttl, next_rescue.ttl)) FROM worker w WHERE w.dead_at IS NULL),
        (SELECT l.timeout_at + grace FROM lease l WHERE l.timeout_at IS NOT NULL ORDER BY l.timeout_at LIMIT 1),
        -- Left by a rescue that found them locked.
        (SELECT w.dead_at FROM worker w WHERE w.dead_at IS NOT NULL
            AND EXISTS (SELECT FROM lease l WHERE l.worker_id = w.id) LIMIT 1));
END
$$;

REVOKE ALL ON FUNCTION next_rescue(interval, interval) FROM PUBLIC;
