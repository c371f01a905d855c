-- Says why a call with this id (and lease) changed nothing: JQ404 no such live job, JQ409 not running under that lease.
CREATE OR REPLACE FUNCTION internal_refuse(id uuid, lease bigint DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    current_state text := (SELECT j.state FROM live_job j WHERE j.id = internal_refuse.id);
BEGIN
    IF current_state IS NULL THEN
        RAISE EXCEPTION 'id is %: no live job has it', coalesce(quote_literal(id), 'null') USING ERRCODE = 'JQ404',
            HINT = 'It was completed, cancelled or never published, or it died: look into job_history and dead_letter.';
    END IF;
    RAISE EXCEPTION 'lease is %: job % is % and not under that lease',
        coalesce(quote_literal(lease), 'null'), quote_literal(id), current_state
        USING ERRCODE = 'JQ409', HINT = 'The job was taken from this worker, or settled before: drop its outcome.';
END
$$;

REVOKE ALL ON FUNCTION internal_refuse(uuid, bigint) FROM PUBLIC;
