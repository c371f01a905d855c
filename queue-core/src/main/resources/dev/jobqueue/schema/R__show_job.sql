-- What find_job tells of a job, with its steps and its last 1,000 events, as JSON for people; NULL if it is nowhere.
-- Payload, headers and results only if asked for. Spans of time are seconds.
CREATE OR REPLACE FUNCTION show_job(id uuid, with_payload boolean DEFAULT true) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    carried constant text[] := CASE WHEN with_payload THEN '{}'::text[] ELSE '{payload,headers,result}' END;
BEGIN
    RETURN (SELECT to_jsonb(f) - carried - 'timeout' || jsonb_build_object(
        'id', show_job.id,
        'timeout_seconds', extract(epoch FROM f.timeout),
        'wait_seconds', extract(epoch FROM f.claimed_at - greatest(f.run_at, f.created_at)),
        'run_seconds', extract(epoch FROM f.finished_at - f.claimed_at),
        'steps', (SELECT coalesce(jsonb_agg(jsonb_build_object('step', s.step, 'finished_at', s.finished_at)
                || CASE WHEN with_payload THEN jsonb_build_object('result', s.result) ELSE '{}' END
                ORDER BY s.finished_at), '[]')
            FROM job_step s WHERE s.job_id = show_job.id),
        'events', (SELECT coalesce(jsonb_agg(to_jsonb(e) - 'job_id' ORDER BY e.number), '[]') FROM (
            SELECT * FROM job_event e WHERE e.job_id = show_job.id ORDER BY e.number DESC LIMIT 1000) e))
    FROM find_job(show_job.id) AS f);
END
$$;

REVOKE ALL ON FUNCTION show_job(uuid, boolean) FROM PUBLIC;
