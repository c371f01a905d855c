-- Where a job is and what is known of it, live, dead or finished, with its steps and its last 1,000 events; no row if
-- nobody ever heard of it.
CREATE OR REPLACE FUNCTION find_job(id uuid) RETURNS TABLE (
    queue text, type text, state text, priority int, attempt int, max_attempts int, percent smallint,
    stage text, payload jsonb, headers jsonb, result jsonb, errors jsonb, created_at timestamptz, run_at timestamptz,
    claimed_at timestamptz, finished_at timestamptz, cancel_requested boolean, worker_id uuid, timeout interval,
    unique_key text, reason text, steps jsonb, events jsonb, limits jsonb, flow uuid, flow_step text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    known_steps constant jsonb := (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'step', s.step, 'finished_at', s.finished_at, 'result', s.result) ORDER BY s.finished_at, s.step), '[]')
        FROM job_step s WHERE s.job_id = find_job.id);
    known_events constant jsonb := (SELECT coalesce(jsonb_agg(to_jsonb(e) - 'job_id' ORDER BY e.number), '[]') FROM (
        SELECT * FROM job_event e WHERE e.job_id = find_job.id ORDER BY e.number DESC LIMIT 1000) e);
BEGIN
    RETURN QUERY
    SELECT j.queue, j.type, j.state, j.priority, j.attempt, coalesce(j.max_attempts, p.max_attempts, 3), j.percent,
        j.stage, internal_readable(j.payload), coalesce(j.headers, '{}'), NULL::jsonb, coalesce(j.errors, '[]'),
        j.created_at, j.run_at, j.claimed_at, NULL::timestamptz, j.cancel_requested_at IS NOT NULL,
        j.worker_id, coalesce(j.timeout, p.timeout), j.unique_key, NULL, known_steps, known_events,
        jsonb_object(j.limits, j.limit_keys), j.flow, internal_step_name(j.flow, j.flow_step)
    FROM live_job j LEFT JOIN retry_policy p ON p.type = j.type WHERE j.id = find_job.id;
    IF NOT FOUND THEN
        RETURN QUERY
        SELECT d.queue, d.type, 'DEAD', d.priority, d.attempt, d.max_attempts, NULL::smallint, NULL,
            internal_readable(d.payload), coalesce(d.headers, '{}'), NULL::jsonb, d.errors, d.created_at, d.run_at,
            d.claimed_at, d.died_at, false, d.worker_id, d.timeout, d.unique_key, d.reason,
            known_steps, known_events, jsonb_object(d.limits, d.limit_keys), d.flow,
            internal_step_name(d.flow, d.flow_step)
        FROM dead_letter d WHERE d.id = find_job.id;
    END IF;
    IF NOT FOUND THEN
        RETURN QUERY
        SELECT h.queue, h.type, h.state, h.priority, h.attempt, coalesce(h.max_attempts, p.max_attempts, 3),
            NULL::smallint, NULL, internal_readable(h.payload), coalesce(h.headers, '{}'), h.result,
            coalesce(h.errors, '[]'), h.created_at, h.run_at, h.claimed_at, h.finished_at, h.state = 'CANCELLED',
            h.worker_id, coalesce(h.timeout, p.timeout), h.unique_key, NULL, known_steps, known_events,
            jsonb_object(h.limits, h.limit_keys), h.flow, internal_step_name(h.flow, h.flow_step)
        FROM job_history h LEFT JOIN retry_policy p ON p.type = h.type
        WHERE h.id = find_job.id ORDER BY h.finished_at DESC LIMIT 1;
    END IF;
    IF NOT FOUND THEN
        -- A step that has no job: it is blocked, was cancelled then, or waits for something outside.
        RETURN QUERY
        SELECT coalesce(s.spec ->> 'queue', 'default'),
            coalesce(s.spec ->> 'type', s.kind), CASE s.state WHEN 'BLOCKED' THEN 'WAITING' WHEN 'FREE' THEN 'WAITING'
                WHEN 'DONE' THEN 'COMPLETED' ELSE s.state END,
            coalesce((s.spec ->> 'priority')::int, 0), 0,
            coalesce((s.spec ->> 'max_attempts')::int, p.max_attempts, 3), NULL::smallint, NULL,
            coalesce(s.spec -> 'payload', '{}'), coalesce(s.spec -> 'headers', '{}'),
            internal_step_result(s.flow, s.step), '[]'::jsonb, f.created_at,
            coalesce((s.spec ->> 'run_at')::timestamptz, s.freed_at, f.created_at), NULL::timestamptz, s.ended_at,
            s.state = 'CANCELLED', NULL::uuid, coalesce((s.spec ->> 'timeout')::interval, p.timeout), NULL, s.problem,
            known_steps, known_events, s.spec -> 'limits', s.flow, s.name
        FROM flow_step s JOIN flow f ON f.id = s.flow LEFT JOIN retry_policy p ON p.type = s.spec ->> 'type'
        WHERE s.job_id = find_job.id;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION find_job(uuid) FROM PUBLIC;
