-- Counts what ended since the last call into throughput; true if there is more to count.
-- Reads each row of the history, of the dead letters and of the failures once, by their times. What is committed more
-- than "lag" after its time is not counted: these are figures to look at. One session at a time; others return at once.
CREATE OR REPLACE FUNCTION measure(lag interval DEFAULT '3 seconds', span interval DEFAULT '10 minutes') RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    since timestamptz;
    until timestamptz;
BEGIN
    IF internal_check_span('lag', lag, 0) IS NULL THEN
        PERFORM internal_invalid('lag', NULL, 'must not be null');
    ELSIF internal_check_span('span', span, 1) IS NULL THEN
        PERFORM internal_invalid('span', NULL, 'must not be null');
    ELSIF NOT pg_try_advisory_xact_lock(hashtextextended('jobqueue measure of ' || current_schema(), 0)) THEN
        RETURN false;
    END IF;
    SELECT greatest(m.upto, clock - interval '25 hours') INTO since FROM measured m;
    since := coalesce(since, clock - interval '1 hour');
    until := least(clock - lag, since + span);
    IF until <= since THEN
        RETURN false;
    END IF;
    PERFORM internal_count_ended(since, until);
    INSERT INTO measured (upto) VALUES (until) ON CONFLICT (only_row) DO UPDATE SET upto = excluded.upto;
    IF date_trunc('minute', since) < date_trunc('minute', until) THEN
        DELETE FROM throughput WHERE step = 10 AND at < clock - interval '15 minutes';
        DELETE FROM throughput WHERE step = 60 AND at < clock - interval '25 hours';
        DELETE FROM failure WHERE at < until - interval '1 minute';
    END IF;
    RETURN internal_fill_fingerprints(1000) OR until < clock - lag;
END
$$;

CREATE OR REPLACE FUNCTION internal_count_ended(since timestamptz, upto timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    WITH ended AS MATERIALIZED (
        SELECT date_bin('10 seconds', e.at, 'epoch') AS at, e.queue, e.type, sum(e.completed) AS completed,
            sum(e.failed) AS failed, sum(e.dead) AS dead, coalesce(sum(e.wait_ms), 0) AS wait_ms,
            coalesce(sum(e.run_ms), 0) AS run_ms
        FROM (
            SELECT h.finished_at, h.queue, h.type, 1, 0, 0, greatest(0, extract(epoch FROM h.wait) * 1000),
                greatest(0, extract(epoch FROM h.duration) * 1000)
            FROM job_history h
            WHERE h.finished_at > since AND h.finished_at <= upto AND h.state = 'COMPLETED'
            UNION ALL
            SELECT f.at, f.queue, f.type, 0, f.attempts, 0, 0, 0 FROM failure f WHERE f.at > since AND f.at <= upto
            UNION ALL
            SELECT d.died_at, d.queue, d.type, 0, 0, 1, 0, 0 FROM dead_letter d
            WHERE d.died_at > since AND d.died_at <= upto
        ) AS e (at, queue, type, completed, failed, dead, wait_ms, run_ms)
        GROUP BY 1, 2, 3
    )
    INSERT INTO throughput AS t (step, type, queue, at, completed, failed, dead, wait_ms, run_ms)
    SELECT s.step, coalesce(e.type, ''), coalesce(e.queue, ''), date_bin(make_interval(secs => s.step), e.at, 'epoch'),
        sum(e.completed), sum(e.failed), sum(e.dead), sum(e.wait_ms), sum(e.run_ms)
    FROM ended e CROSS JOIN (VALUES (10), (60)) AS s (step)
    GROUP BY s.step, 4, GROUPING SETS ((e.queue, e.type), (e.queue), (e.type), ())
    ON CONFLICT (step, type, queue, at) DO UPDATE SET completed = t.completed + excluded.completed,
        failed = t.failed + excluded.failed, dead = t.dead + excluded.dead, wait_ms = t.wait_ms + excluded.wait_ms,
        run_ms = t.run_ms + excluded.run_ms
$$;

-- Of dead letters from before there were fingerprints; true if there may be more.
CREATE OR REPLACE FUNCTION internal_fill_fingerprints(max int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
    ids constant uuid[] := ARRAY(SELECT d.id FROM dead_letter d WHERE d.fingerprint IS NULL ORDER BY d.id
        LIMIT internal_fill_fingerprints.max FOR UPDATE SKIP LOCKED);
BEGIN
    IF ids <> '{}' THEN
        UPDATE dead_letter d SET fingerprint = internal_fingerprint(d.queue, d.type, d.errors -> -1 ->> 'error')
        WHERE d.id = ANY (ids);
    END IF;
    RETURN cardinality(ids) = internal_fill_fingerprints.max;
END
$$;

REVOKE ALL ON FUNCTION measure(interval, interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_count_ended(timestamptz, timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_fill_fingerprints(int) FROM PUBLIC;
