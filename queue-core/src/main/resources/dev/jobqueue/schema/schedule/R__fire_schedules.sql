-- Publishes what schedules have due, and notes when each is due next, in one transaction. Of the schedules named, one
-- whose next_run_at is not the one that was planned with is left alone: somebody else was quicker.
--   next_run_ats  when each is due next; missed  how many times passed without a run; problems  why one cannot be fired
--   fire_names, fire_ats  the jobs to publish; with overlap SKIP none while the last one is pending or running
-- Returns a row for each of the latter, without job_id if it was skipped.
CREATE OR REPLACE FUNCTION fire_schedules(
    names text[], planned timestamptz[], next_run_ats timestamptz[], missed int[], problems text[],
    fire_names text[], fire_ats timestamptz[]
) RETURNS TABLE (name text, type text, queue text, fire_at timestamptz, job_id uuid, lag_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    mine text[];
    to_fire text[];
    to_fire_ats timestamptz[];
    jobs uuid[];
    skips text[];
    skip_ats timestamptz[];
    refused text[] := '{}';
    reasons text[] := '{}';
BEGIN
    -- Those due_schedules has locked are locked already; in the order of the names for anybody else.
    mine := ARRAY(
        SELECT s.name FROM schedule AS s
        JOIN unnest(names, planned) AS g (name, planned_at) ON s.name = g.name
        WHERE s.active AND s.next_run_at IS NOT DISTINCT FROM g.planned_at
        ORDER BY s.name FOR UPDATE OF s);
    WITH fire AS (
        SELECT f.name, f.at, s.overlap = 'SKIP' AND (
            row_number() OVER (PARTITION BY f.name ORDER BY f.at) > 1
            OR EXISTS (SELECT FROM job AS j WHERE j.id = s.last_job_id)) AS is_skipped
        FROM unnest(fire_names, fire_ats) AS f (name, at) JOIN schedule AS s ON s.name = f.name
        WHERE f.name = ANY (mine))
    SELECT coalesce(array_agg(name ORDER BY at, name) FILTER (WHERE NOT is_skipped), '{}'),
        array_agg(at ORDER BY at, name) FILTER (WHERE NOT is_skipped),
        array_agg(name ORDER BY at, name) FILTER (WHERE is_skipped),
        array_agg(at ORDER BY at, name) FILTER (WHERE is_skipped)
    INTO to_fire, to_fire_ats, skips, skip_ats FROM fire;

    IF to_fire <> '{}' THEN BEGIN
        jobs := ARRAY(SELECT * FROM internal_fire(to_fire, to_fire_ats));
    EXCEPTION WHEN SQLSTATE 'JQ422' THEN
        -- Nobody pays for a schedule that cannot be published any more, say because payloads must be smaller by now.
        jobs := '{}';
        FOR i IN 1 .. cardinality(to_fire) LOOP BEGIN
            jobs := jobs || (SELECT f FROM internal_fire(to_fire[i:i], to_fire_ats[i:i]) AS f);
        EXCEPTION WHEN SQLSTATE 'JQ422' THEN
            jobs := jobs || NULL::uuid;
            refused := refused || to_fire[i];
            reasons := reasons || SQLERRM;
        END; END LOOP;
    END; END IF;

    UPDATE schedule AS s SET missed = s.missed + coalesce(g.missed, 0),
        next_run_at = CASE WHEN g.problem IS NULL THEN g.next ELSE s.next_run_at END,
        problem = coalesce(g.problem, (SELECT r.reason FROM unnest(refused, reasons) AS r (name, reason)
            WHERE r.name = s.name LIMIT 1)),
        fired = s.fired + coalesce(f.fired, 0), skipped = s.skipped + coalesce(k.skipped, 0),
        last_run_at = coalesce(f.at, s.last_run_at), last_job_id = coalesce(f.job_id, s.last_job_id),
        unmet_since = CASE WHEN f.at IS NULL
            THEN coalesce(s.unmet_since, k.first_at, CASE WHEN g.missed > 0 OR s.name = ANY (refused)
                THEN s.next_run_at END)
            WHEN k.last_at > f.at THEN k.last_at END
    FROM unnest(names, next_run_ats, fire_schedules.missed, problems) AS g (name, next, missed, problem)
    LEFT JOIN (
        SELECT u.name, count(*) AS fired, max(u.at) AS at, (array_agg(u.job_id ORDER BY u.at DESC))[1] AS job_id
        FROM unnest(to_fire, to_fire_ats, jobs) AS u (name, at, job_id) WHERE u.job_id IS NOT NULL GROUP BY u.name
    ) AS f ON f.name = g.name
    LEFT JOIN (
        SELECT u.name, count(*) AS skipped, min(u.at) AS first_at, max(u.at) AS last_at
        FROM unnest(skips, skip_ats) AS u (name, at) GROUP BY u.name
    ) AS k ON k.name = g.name
    WHERE s.name = g.name AND s.name = ANY (mine);

    RETURN QUERY
    SELECT u.name, s.type, s.queue, u.at, u.job_id, (extract(epoch FROM clock - u.at) * 1000)::bigint
    FROM (
        SELECT * FROM unnest(to_fire, to_fire_ats, jobs) AS p (name, at, job_id) WHERE p.job_id IS NOT NULL
        UNION ALL
        SELECT k.name, k.at, NULL FROM unnest(skips, skip_ats) AS k (name, at)
    ) AS u JOIN schedule AS s ON s.name = u.name;
END
$$;

REVOKE ALL ON FUNCTION fire_schedules(
    text[], timestamptz[], timestamptz[], int[], text[], text[], timestamptz[]) FROM PUBLIC;
