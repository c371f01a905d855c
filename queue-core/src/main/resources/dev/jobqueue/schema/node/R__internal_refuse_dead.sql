-- Refuses a worker that rescue has declared dead (JQ409): its jobs may run elsewhere already.
CREATE OR REPLACE FUNCTION internal_refuse_dead(worker_id uuid, dead_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RAISE EXCEPTION 'worker_id is %: was declared dead at %', quote_literal(worker_id), dead_at
        USING ERRCODE = 'JQ409', HINT = 'Interrupt the jobs of this worker, then beat under a new id.';
END
$$;

REVOKE ALL ON FUNCTION internal_refuse_dead(uuid, timestamptz) FROM PUBLIC;
