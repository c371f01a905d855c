-- RUNNING -> SCHEDULED, the attempt given back (CANCELLED where that was asked).
-- Called in the transaction of a handler, which must not wait for as long as a stranger holds the row locked: 55P03.
CREATE OR REPLACE FUNCTION snooze(id uuid, lease bigint, delay interval) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
    cancelled boolean;
BEGIN
    IF internal_check_span('delay', delay, 0) IS NULL THEN
        PERFORM internal_invalid('delay', NULL, 'must not be null');
    END IF;
    SELECT cancel_requested_at IS NOT NULL INTO cancelled FROM job
    WHERE job.id = snooze.id AND job.lease = snooze.lease FOR UPDATE;
    IF cancelled THEN
        PERFORM internal_cancel(ARRAY[snooze.id]);
        RETURN 'CANCELLED';
    ELSIF cancelled IS NULL THEN
        PERFORM internal_refuse(snooze.id, snooze.lease);
    END IF;
    UPDATE job SET state = 'SCHEDULED', run_at = clock_timestamp() + delay, attempt = attempt - 1,
        interrupted = NULL, lease = NULL, worker_id = NULL, claimed_at = NULL, timeout_at = NULL
    WHERE job.id = snooze.id;
    PERFORM pg_notify(current_schema(), '');
    RETURN 'SCHEDULED';
END
$$;

REVOKE ALL ON FUNCTION snooze(uuid, bigint, interval) FROM PUBLIC;
