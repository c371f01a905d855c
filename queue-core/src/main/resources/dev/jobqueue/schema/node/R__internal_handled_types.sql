-- The types that the live nodes of a queue handle. NULL means any: a node did not say what it handles, or there is
-- none, and then no type is worse off than the others.
CREATE OR REPLACE FUNCTION internal_handled_types(queue text, ttl interval) RETURNS text[]
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT CASE WHEN bool_and(w.types IS NOT NULL) THEN array_agg(DISTINCT t.type) END
    FROM worker w LEFT JOIN LATERAL unnest(w.types) AS t (type) ON true
    WHERE w.dead_at IS NULL AND w.beat_at > clock_timestamp() - coalesce(w.ttl, internal_handled_types.ttl)
        AND (w.queues IS NULL OR internal_handled_types.queue = ANY (w.queues))
        AND (w.types IS NULL OR w.types <> '{}')
$$;

REVOKE ALL ON FUNCTION internal_handled_types(text, interval) FROM PUBLIC;
