-- All that is known of a job, wherever it is; NULL if it is nowhere. Payload, headers, results only if asked for.
CREATE OR REPLACE FUNCTION show_job(id uuid, with_payload boolean DEFAULT true) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    job jsonb;
    private constant text[] := CASE WHEN with_payload THEN '{}'::text[] ELSE '{payload,headers,result}' END;
BEGIN
    job := coalesce(
        (SELECT to_jsonb(j) FROM job j WHERE j.id = show_job.id),
        (SELECT to_jsonb(d) || jsonb_build_object('state', 'DEAD') FROM dead_letter d WHERE d.id = show_job.id),
        (SELECT to_jsonb(h) FROM job_history h WHERE h.id = show_job.id LIMIT 1));
    RETURN job - private || jsonb_build_object(
        'steps', (SELECT coalesce(jsonb_agg(jsonb_build_object('step', s.step, 'finished_at', s.finished_at)
                || CASE WHEN with_payload THEN jsonb_build_object('result', s.result) ELSE '{}' END
                ORDER BY s.finished_at), '[]')
            FROM job_step s WHERE s.job_id = show_job.id),
        'events', (SELECT coalesce(jsonb_agg(to_jsonb(e) - 'job_id' ORDER BY e.number), '[]') FROM (
            SELECT * FROM job_event e WHERE e.job_id = show_job.id ORDER BY e.number DESC LIMIT 1000) e));
END
$$;

REVOKE ALL ON FUNCTION show_job(uuid, boolean) FROM PUBLIC;
