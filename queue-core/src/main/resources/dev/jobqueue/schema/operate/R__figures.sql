-- Per queue: how many jobs there are by state, how long the oldest pending one is due (of any type, and of
-- those that a live node of the queue handles), and the thresholds.
-- Counts stop at max (or the highest threshold, where that is higher): with millions waiting this costs what it costs
-- with ten thousand. A count of counted_to means "at least". pending_handled are those which a live node of the queue
-- handles, among the first of the pending ones, twice as many as the highest threshold.
CREATE OR REPLACE FUNCTION figures(max int DEFAULT 10000, ttl interval DEFAULT '20 seconds') RETURNS TABLE (
    queue text, paused_at timestamptz, pending bigint, scheduled bigint, running bigint, dead bigint, oldest_ms bigint,
    oldest_handled_ms bigint, pending_warning int, pending_critical int, counted_to int, pending_handled bigint,
    waiting bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    epochs constant int[] := internal_epochs();
BEGIN
    IF (figures.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', figures.max::text, 'must be at least 1');
    END IF;
    RETURN QUERY
    WITH busy AS MATERIALIZED (
        -- Bounded by the slots of all nodes, and by max.
        SELECT r.queue, count(*) AS jobs FROM (
            SELECT l.queue FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
            LIMIT figures.max) r GROUP BY r.queue
    ), known AS MATERIALIZED (
        SELECT k AS queue FROM internal_queues(ttl) AS k UNION SELECT b.queue FROM busy b
    ), asked AS MATERIALIZED (
        SELECT k.queue, q.paused_at, coalesce(q.pending_warning, s.pending_warning) AS warning,
            coalesce(q.pending_critical, s.pending_critical) AS critical,
            internal_handled_types(k.queue, ttl) AS types
        FROM known k CROSS JOIN setting s LEFT JOIN queue q ON q.name = k.queue
    )
    SELECT k.queue, k.paused_at,
        (SELECT count(*) FROM (
            -- Epoch by epoch: a join without the inner LIMIT may enter the index by the hash alone, and read all of it.
            SELECT FROM unnest(epochs) AS e CROSS JOIN LATERAL (
                SELECT FROM ready r WHERE r.epoch = e AND r.hash = hashtextextended(k.queue, 0)
                LIMIT greatest(figures.max, k.warning, k.critical)) AS r
            LIMIT greatest(figures.max, k.warning, k.critical)) c),
        (SELECT count(*) FROM (
            SELECT FROM scheduled s WHERE s.hash = hashtextextended(k.queue, 0) LIMIT figures.max) c),
        coalesce(b.jobs, 0),
        (SELECT count(*) FROM (SELECT FROM dead_letter d WHERE d.queue = k.queue LIMIT figures.max) c),
        (extract(epoch FROM clock_timestamp() - internal_oldest(k.queue)) * 1000)::bigint,
        (extract(epoch FROM clock_timestamp()
            - internal_oldest(k.queue, k.types)) * 1000)::bigint,
        k.warning, k.critical, greatest(figures.max, k.warning, k.critical),
        -- The type is not in the index, so no more are looked at than it takes to compare with the thresholds.
        (SELECT count(*) FILTER (WHERE k.types IS NULL OR c.type = ANY (k.types))
            FROM unnest(epochs) AS e CROSS JOIN LATERAL (
                SELECT r.type FROM ready r WHERE r.epoch = e AND r.hash = hashtextextended(k.queue, 0)
                ORDER BY r.rank, r.run_at, r.id LIMIT 2 * greatest(k.warning, k.critical)) AS c),
        (SELECT count(*) FROM (
            SELECT FROM waiting w WHERE w.hash = hashtextextended(k.queue, 0) LIMIT figures.max) c)
    FROM asked k LEFT JOIN busy b ON b.queue = k.queue
    ORDER BY k.queue;
END
$$;

REVOKE ALL ON FUNCTION figures(int, interval) FROM PUBLIC;
