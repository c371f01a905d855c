-- SCHEDULED, WAITING, PENDING -> SCHEDULED at another time, or PENDING (WAITING with limits) if that is past. Returns
-- the state.
CREATE OR REPLACE FUNCTION reschedule(id uuid, run_at timestamptz) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    found_job job;
    new_state text;
BEGIN
    PERFORM internal_check_due(reschedule.run_at);
    SELECT * INTO found_job FROM job WHERE job.id = reschedule.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM internal_refuse(reschedule.id);
    ELSIF internal_withdraw(found_job) IS NULL THEN
        PERFORM internal_invalid('id', reschedule.id::text,
            'must be of a job that is SCHEDULED, WAITING or PENDING, and this one is RUNNING');
    END IF;
    new_state := CASE WHEN reschedule.run_at > clock_timestamp() THEN 'SCHEDULED'
        WHEN found_job.line IS NOT NULL THEN 'WAITING' ELSE 'PENDING' END;
    UPDATE job SET run_at = reschedule.run_at WHERE job.id = reschedule.id;
    PERFORM internal_put(ARRAY[reschedule.id], new_state);
    RETURN new_state;
END
$$;

-- The same for those that match a filter (find_jobs), at most max; cursor and dry_run as in cancel_jobs. Passes over
-- those that have the time, and over PENDING ones if the time is past: these are due already.
CREATE OR REPLACE FUNCTION reschedule_jobs(
    filter jsonb, run_at timestamptz, after text DEFAULT NULL, max int DEFAULT 1000, dry_run boolean DEFAULT false
) RETURNS TABLE (jobs bigint, cursor text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    new_state text;
    ids uuid[];
BEGIN
    PERFORM internal_check_batch(filter, '{SCHEDULED,WAITING,PENDING}', max);
    PERFORM internal_check_due(reschedule_jobs.run_at);
    new_state := CASE WHEN reschedule_jobs.run_at > clock_timestamp() THEN 'SCHEDULED' ELSE 'PENDING' END;
    IF new_state = 'PENDING' AND filter ->> 'state' IN ('PENDING', 'WAITING') THEN
        jobs := 0;
        RETURN NEXT;
        RETURN;
    END IF;
    SELECT w.ids, w.cursor INTO ids, cursor FROM internal_walk(filter, after, reschedule_jobs.max,
        further => 's.at <> $12::timestamptz', value => reschedule_jobs.run_at::text) AS w;
    IF dry_run IS FALSE THEN
        ids := internal_withdraw_many(ids, filter);
        UPDATE job SET run_at = reschedule_jobs.run_at WHERE job.id = ANY (ids);
        PERFORM internal_put(ids, new_state);
    END IF;
    jobs := cardinality(ids);
    RETURN NEXT;
END
$$;

CREATE OR REPLACE FUNCTION internal_check_due(run_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF isfinite(run_at) IS NOT TRUE THEN
        PERFORM internal_invalid('run_at', run_at::text, 'must be finite and not null');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION reschedule(uuid, timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION reschedule_jobs(jsonb, timestamptz, text, int, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_due(timestamptz) FROM PUBLIC;
