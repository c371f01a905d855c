-- RUNNING -> SCHEDULED, without counting the attempt (CANCELLED where that was asked, or where a newer job has taken
-- the unique key). Called in the transaction of a handler, which must not wait for as long as a stranger holds the row
-- locked: 55P03.
CREATE OR REPLACE FUNCTION snooze(id uuid, lease bigint, delay interval) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    cancelled boolean;
BEGIN
    IF internal_check_span('delay', delay, 0) IS NULL THEN
        PERFORM internal_invalid('delay', NULL, 'must not be null');
    END IF;
    IF EXISTS (SELECT FROM internal_lock(ARRAY[snooze.id], ARRAY[snooze.lease])) THEN
        -- Another statement, which sees what others have written while this call waited for their lock.
        SELECT j.cancel_requested_at IS NOT NULL OR j.superseded_by IS NOT NULL INTO cancelled
        FROM job j WHERE j.id = snooze.id;
    END IF;
    IF cancelled THEN
        PERFORM internal_cancel(ARRAY[snooze.id], ARRAY[snooze.lease >> 12]);
    ELSIF cancelled IS NULL THEN
        PERFORM internal_refuse(snooze.id, snooze.lease);
    ELSE
        UPDATE job SET version = version + 1, run_at = clock_timestamp() + delay, timeout_at = NULL, spared = NULL
        WHERE job.id = snooze.id;
        PERFORM internal_leave(ARRAY[(id, queue, type, limits, limit_keys, gates, line, seq)::limited], 'ALL') FROM job
        WHERE job.id = snooze.id AND line IS NOT NULL;
        PERFORM internal_put(ARRAY[snooze.id], 'SCHEDULED');
    END IF;
    PERFORM internal_tidy(ARRAY[snooze.lease >> 12]);
    RETURN CASE WHEN cancelled THEN 'CANCELLED' ELSE 'SCHEDULED' END;
END
$$;

REVOKE ALL ON FUNCTION snooze(uuid, bigint, interval) FROM PUBLIC;
