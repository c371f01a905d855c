-- What ended over time, of one queue, one type, or all: a row for each step, also if nothing ended, the oldest first.
-- The last one has not ended yet. Steps shorter than a minute are known of the last 15 minutes, longer ones of the last
-- 25 hours. wait_ms and run_ms are averages of the completed ones; NULL if there are none.
-- Counted by measure from history and dead letters: a queue that keeps no history shows failures only.
CREATE OR REPLACE FUNCTION throughput(
    queue text DEFAULT NULL, type text DEFAULT NULL, span interval DEFAULT '1 hour', step interval DEFAULT '1 minute'
) RETURNS TABLE (at timestamptz, completed bigint, failed bigint, dead bigint, wait_ms bigint, run_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    base constant int := CASE WHEN throughput.step < interval '1 minute' THEN 10 ELSE 60 END;
    upto timestamptz;
    first timestamptz;
BEGIN
    IF (throughput.step BETWEEN interval '10 seconds' AND interval '1 day') IS NOT TRUE THEN
        PERFORM internal_invalid('step', throughput.step::text, 'must be from 10 seconds to 1 day');
    ELSIF (throughput.span BETWEEN throughput.step AND interval '25 hours') IS NOT TRUE
        OR extract(epoch FROM throughput.span) > 1500 * extract(epoch FROM throughput.step) THEN
        PERFORM internal_invalid('span', throughput.span::text, 'must be from 1 to 1500 steps, at most 25 hours');
    END IF;
    upto := date_bin(throughput.step, clock_timestamp(), 'epoch');
    first := date_bin(throughput.step, upto - throughput.span, 'epoch') + throughput.step;
    RETURN QUERY
    SELECT s.at, coalesce(t.completed, 0), coalesce(t.failed, 0), coalesce(t.dead, 0), t.wait_ms, t.run_ms
    FROM generate_series(first, upto, throughput.step) AS s (at) LEFT JOIN (
        SELECT date_bin(throughput.step, t.at, 'epoch') AS at, sum(t.completed)::bigint AS completed,
            sum(t.failed)::bigint AS failed, sum(t.dead)::bigint AS dead,
            (sum(t.wait_ms) / nullif(sum(t.completed), 0))::bigint AS wait_ms,
            (sum(t.run_ms) / nullif(sum(t.completed), 0))::bigint AS run_ms
        FROM throughput t
        WHERE t.step = base AND t.type = coalesce(throughput.type, '') AND t.queue = coalesce(throughput.queue, '')
            AND t.at >= first
        GROUP BY 1) AS t ON t.at = s.at
    ORDER BY s.at;
END
$$;

-- The same of all queues at once, by minute: those minutes in which something ended. An empty name stands for all
-- queues.
CREATE OR REPLACE FUNCTION throughput_by_queue(span interval DEFAULT '30 minutes')
RETURNS TABLE (queue text, at timestamptz, completed bigint, failed bigint, dead bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    IF (throughput_by_queue.span BETWEEN interval '1 minute' AND interval '1 hour') IS NOT TRUE THEN
        PERFORM internal_invalid('span', throughput_by_queue.span::text, 'must be from 1 minute to 1 hour');
    END IF;
    RETURN QUERY
    SELECT t.queue, t.at, t.completed, t.failed, t.dead FROM throughput t
    WHERE t.step = 60 AND t.type = '' AND t.at > clock_timestamp() - throughput_by_queue.span
    ORDER BY t.queue, t.at;
END
$$;

REVOKE ALL ON FUNCTION throughput(text, text, interval, interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION throughput_by_queue(interval) FROM PUBLIC;
