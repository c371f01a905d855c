-- Creates a schedule or changes it; true if anything changed. A paused one stays paused, a retired one is back. The
-- next run stays when it was, unless the timing changed: then it counts from now.
CREATE OR REPLACE FUNCTION set_schedule(
    name text, type text, payload text DEFAULT '{}', cron text DEFAULT NULL, every interval DEFAULT NULL,
    zone text DEFAULT 'UTC', queue text DEFAULT 'default', priority int DEFAULT 0, misfire text DEFAULT 'ONCE',
    overlap text DEFAULT 'ALLOW', headers jsonb DEFAULT NULL, max_attempts int DEFAULT NULL,
    timeout interval DEFAULT NULL, origin text DEFAULT 'API', owner text DEFAULT NULL
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '5s'
AS $$
#variable_conflict use_variable
DECLARE
    clock constant timestamptz := clock_timestamp();
    held record;
BEGIN
    PERFORM internal_check_name('name', name);
    PERFORM internal_check_name('zone', zone);
    IF (cron IS NULL) = (every IS NULL) THEN
        PERFORM internal_invalid('cron', cron, 'must be given, or every, and not both');
    ELSIF cron !~ E'^(@\\w+|\\S+( +\\S+){4,5})$' OR length(cron) > 200 THEN
        PERFORM internal_invalid('cron', cron, 'must have five fields (minute hour day month weekday), six with the '
            'second before them, or be a word such as @daily');
    ELSIF internal_check_span('every', every, 1) < 1000 THEN
        PERFORM internal_invalid('every', every::text, 'must be at least 1 second');
    ELSIF (misfire IN ('SKIP', 'ONCE', 'ALL')) IS NOT TRUE THEN
        PERFORM internal_invalid('misfire', misfire, 'must be SKIP, ONCE or ALL');
    ELSIF (overlap IN ('ALLOW', 'SKIP')) IS NOT TRUE THEN
        PERFORM internal_invalid('overlap', overlap, 'must be ALLOW or SKIP');
    ELSIF (origin IN ('CODE', 'CONFIG', 'API')) IS NOT TRUE THEN
        PERFORM internal_invalid('origin', origin, 'must be CODE, CONFIG or API');
    END IF;
    -- All that publishing would refuse is refused now, not when it is due.
    PERFORM internal_refuse_jobs(NULL, ARRAY[type], ARRAY[payload], ARRAY[queue], ARRAY[priority], NULL, NULL,
        ARRAY[max_attempts], ARRAY[internal_check_span('timeout', timeout, 1)], NULL, ARRAY[headers::text]);
    SELECT s.origin, s.owner INTO held FROM schedule AS s WHERE s.name = set_schedule.name AND s.retired_at IS NULL;
    IF origin = 'API' AND held.origin <> 'API' THEN
        PERFORM internal_invalid('name', name, format('is a schedule that the %s of %s defines; change it there, or '
            'pause it', CASE held.origin WHEN 'CODE' THEN 'code' ELSE 'configuration' END,
            coalesce(quote_literal(held.owner), 'an application')));
    END IF;

    -- Whoever sets what is there already, as nodes do when they start, need not wait for one that fires it.
    IF EXISTS (SELECT FROM schedule AS s WHERE s.name = set_schedule.name AND s.retired_at IS NULL
        AND s.problem IS NULL AND (s.type, s.payload, s.queue, s.priority, s.headers, s.max_attempts, s.timeout, s.cron,
            s.every, s.zone, s.misfire, s.overlap, s.origin, s.owner)
        IS NOT DISTINCT FROM (type, payload::jsonb, coalesce(queue, 'default'), coalesce(priority, 0),
            coalesce(headers, '{}'), max_attempts, timeout, cron,
            internal_check_span('every', every, 1) * interval '1 millisecond', zone, misfire, overlap, origin, owner))
    THEN
        RETURN false;
    END IF;
    INSERT INTO schedule AS s (name, type, payload, queue, priority, headers, max_attempts, timeout, cron, every, zone,
        misfire, overlap, origin, owner, counted_from, created_at, updated_at)
    VALUES (name, type, payload::jsonb, coalesce(queue, 'default'), coalesce(priority, 0), coalesce(headers, '{}'),
        max_attempts, timeout, cron, internal_check_span('every', every, 1) * interval '1 millisecond', zone,
        misfire, overlap, origin, owner, clock, clock, clock)
    ON CONFLICT ON CONSTRAINT schedule_pkey DO UPDATE SET type = excluded.type, payload = excluded.payload,
        queue = excluded.queue, priority = excluded.priority, headers = excluded.headers,
        max_attempts = excluded.max_attempts, timeout = excluded.timeout, cron = excluded.cron, every = excluded.every,
        zone = excluded.zone, misfire = excluded.misfire, overlap = excluded.overlap, origin = excluded.origin,
        owner = excluded.owner, retired_at = NULL, problem = NULL, updated_at = excluded.updated_at,
        next_run_at = CASE WHEN s.retired_at IS NULL AND (s.cron, s.every, s.zone)
            IS NOT DISTINCT FROM (excluded.cron, excluded.every, excluded.zone) THEN s.next_run_at END,
        unmet_since = CASE WHEN s.retired_at IS NULL AND (s.cron, s.every, s.zone)
            IS NOT DISTINCT FROM (excluded.cron, excluded.every, excluded.zone) THEN s.unmet_since END,
        counted_from = CASE WHEN s.retired_at IS NULL AND (s.cron, s.every, s.zone)
            IS NOT DISTINCT FROM (excluded.cron, excluded.every, excluded.zone)
            THEN s.counted_from ELSE excluded.counted_from END
    WHERE s.retired_at IS NOT NULL OR s.problem IS NOT NULL
        OR (s.type, s.payload, s.queue, s.priority, s.headers, s.max_attempts, s.timeout, s.cron, s.every, s.zone,
            s.misfire, s.overlap, s.origin, s.owner)
        IS DISTINCT FROM (excluded.type, excluded.payload, excluded.queue, excluded.priority, excluded.headers,
            excluded.max_attempts, excluded.timeout, excluded.cron, excluded.every, excluded.zone, excluded.misfire,
            excluded.overlap, excluded.origin, excluded.owner);
    IF FOUND THEN
        PERFORM pg_notify(current_schema(), 'schedule');
        RETURN true;
    END IF;
    RETURN false;
END
$$;

REVOKE ALL ON FUNCTION set_schedule(text, text, text, text, interval, text, text, int, text, text, jsonb, int, interval,
    text, text) FROM PUBLIC;
