-- SCHEDULED, WAITING, PENDING -> CANCELLED; RUNNING: asks the worker. Returns those that somebody holds locked: try
-- them again. Waits for nobody.
CREATE OR REPLACE FUNCTION internal_stop_jobs(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    live constant uuid[] := ARRAY(SELECT j.id FROM job j
        WHERE j.id = ANY (ids) AND j.cancel_requested_at IS NULL ORDER BY j.id);
    held uuid[];
    withdrawn uuid[];
BEGIN
    held := ARRAY(SELECT j.id FROM job j WHERE j.id = ANY (live) ORDER BY j.id FOR UPDATE SKIP LOCKED);
    withdrawn := internal_withdraw_many(held, '{"state": "SCHEDULED"}');
    withdrawn := withdrawn || internal_withdraw_many(held, '{"state": "WAITING"}');
    withdrawn := withdrawn || internal_withdraw_many(held, '{"state": "PENDING"}');
    PERFORM internal_cancel(withdrawn, NULL);
    withdrawn := withdrawn || internal_ask_to_cancel(held);
    RETURN ARRAY(SELECT l FROM unnest(live) AS l EXCEPT SELECT w FROM unnest(withdrawn) AS w);
END
$$;

-- A page of what a flow that is being cancelled still has: steps that have no job, batches and flows within it, jobs.
-- Returns how many steps were cancelled, and whether there is more: 'AT ONCE', 'LATER' if it is locked, or NULL.
CREATE OR REPLACE FUNCTION internal_cancel_page(of_flow uuid, OUT cancelled int, OUT more text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    page constant uuid[] := ARRAY(SELECT j.id FROM job j
        WHERE j.flow = of_flow AND j.cancel_requested_at IS NULL ORDER BY j.id LIMIT 1000 FOR UPDATE SKIP LOCKED);
BEGIN
    UPDATE flow_step s SET state = 'CANCELLED', ended_at = clock_timestamp()
    WHERE s.flow = of_flow AND (s.state = 'BLOCKED' OR s.state = 'FREE' AND s.kind <> 'job');
    GET DIAGNOSTICS cancelled = ROW_COUNT;
    INSERT INTO flow_tick (flow, what)
    SELECT f.id, 'CANCEL' FROM flow f WHERE f.parent = of_flow AND f.finished_at IS NULL AND NOT f.cancelling;
    IF page = '{}' OR internal_stop_jobs(page) <> '{}' THEN
        more := CASE WHEN EXISTS (SELECT FROM job j WHERE j.flow = of_flow AND j.cancel_requested_at IS NULL)
            THEN 'LATER' END;
    ELSE
        more := 'AT ONCE';
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_stop_jobs(uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_cancel_page(uuid) FROM PUBLIC;
