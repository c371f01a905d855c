-- SCHEDULED, WAITING, PENDING -> CANCELLED at once; RUNNING: asks the workers. Takes those that match a filter
-- (find_jobs), at most max. A cursor says that there may be more: give it as "after". Passes over what others hold
-- locked, and running jobs whose worker was asked before. dry_run: only tells how many. cancelled: those that waited,
-- for listeners.
CREATE OR REPLACE FUNCTION cancel_jobs(
    filter jsonb, after text DEFAULT NULL, max int DEFAULT 1000, dry_run boolean DEFAULT false
) RETURNS TABLE (jobs bigint, cursor text, cancelled jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    runs constant boolean := (filter ->> 'state' = 'RUNNING') IS TRUE;
    ids uuid[];
BEGIN
    PERFORM internal_check_batch(filter, '{SCHEDULED,WAITING,PENDING,RUNNING}', max);
    SELECT w.ids, w.cursor INTO ids, cursor FROM internal_walk(filter, after, cancel_jobs.max,
        further => CASE WHEN runs THEN 's.cancel_requested_at IS NULL' END) AS w;
    IF dry_run IS NOT FALSE THEN
        NULL;
    ELSIF runs THEN
        ids := internal_ask_to_cancel(ids);
    ELSE
        ids := internal_withdraw_many(ids, filter);
        cancelled := (SELECT jsonb_agg(jsonb_build_array(j.id, j.type, j.queue, j.attempt))
            FROM job j WHERE j.id = ANY (ids));
        PERFORM internal_cancel(ids, NULL);
    END IF;
    jobs := cardinality(ids);
    RETURN NEXT;
END
$$;

-- Marks those of the given jobs that run and tells their workers; returns them.
CREATE OR REPLACE FUNCTION internal_ask_to_cancel(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    held uuid[];
    asked uuid[];
BEGIN
    held := ARRAY(SELECT j.id FROM job j
        WHERE j.id = ANY (internal_ask_to_cancel.ids) AND j.cancel_requested_at IS NULL
        ORDER BY j.id FOR UPDATE SKIP LOCKED);
    asked := ARRAY(SELECT h.id FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
            CROSS JOIN LATERAL (SELECT FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
        WHERE h.id = ANY (held));
    UPDATE job SET cancel_requested_at = clock_timestamp() WHERE id = ANY (asked);
    PERFORM pg_notify(current_schema(), 'cancel:' || a) FROM unnest(asked) AS a;
    RETURN asked;
END
$$;

REVOKE ALL ON FUNCTION cancel_jobs(jsonb, text, int, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_ask_to_cancel(uuid[]) FROM PUBLIC;
