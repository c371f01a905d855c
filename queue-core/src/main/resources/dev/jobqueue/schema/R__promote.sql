-- SCHEDULED -> PENDING: those that are due. Returns when to call again: now, if there may be more; NULL, if none waits.
CREATE OR REPLACE FUNCTION promote(max int DEFAULT 1000) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_tidscan = on SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    tids tid[];
    queues text[];
    run_ats timestamptz[];
BEGIN
    IF (promote.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', promote.max::text, 'must be at least 1');
    END IF;
    tids := ARRAY(SELECT ctid FROM job WHERE state = 'SCHEDULED' AND run_at <= clock
        ORDER BY run_at LIMIT promote.max FOR UPDATE SKIP LOCKED);
    IF tids <> '{}' THEN
        WITH due AS (
            UPDATE job SET state = 'PENDING' WHERE ctid = ANY (tids) RETURNING queue, run_at)
        SELECT array_agg(queue), array_agg(run_at) INTO queues, run_ats FROM due;
        PERFORM internal_rewind(queues, run_ats);
        IF cardinality(tids) = promote.max THEN
            RETURN clock;
        END IF;
    END IF;
    -- Due ones that are left were locked: whoever holds them promotes or cancels them.
    RETURN (SELECT run_at FROM job WHERE state = 'SCHEDULED' AND run_at > clock ORDER BY run_at LIMIT 1);
END
$$;

REVOKE ALL ON FUNCTION promote(int) FROM PUBLIC;
