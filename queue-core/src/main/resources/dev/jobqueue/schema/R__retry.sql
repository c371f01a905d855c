-- SCHEDULED -> PENDING: now, instead of at its time.
CREATE OR REPLACE FUNCTION retry(id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    found_state text;
    found_queue text;
    due timestamptz;
BEGIN
    SELECT state, queue INTO found_state, found_queue FROM job WHERE job.id = retry.id FOR UPDATE;
    IF found_state IS NULL THEN
        PERFORM internal_refuse(retry.id);
    ELSIF found_state <> 'SCHEDULED' THEN
        PERFORM internal_invalid('id', retry.id::text,
            format('must be of a job that is SCHEDULED, and this one is %s', found_state));
    END IF;
    UPDATE job SET state = 'PENDING', run_at = clock_timestamp() WHERE job.id = retry.id RETURNING run_at INTO due;
    PERFORM internal_rewind(ARRAY[found_queue], ARRAY[due]);
END
$$;

REVOKE ALL ON FUNCTION retry(uuid) FROM PUBLIC;
