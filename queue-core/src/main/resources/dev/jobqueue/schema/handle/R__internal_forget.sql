-- Deletes the steps and events of jobs that are kept nowhere any more.
CREATE OR REPLACE FUNCTION internal_forget(ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF ids <> '{}' THEN
        DELETE FROM job_step WHERE job_id = ANY (ids);
        DELETE FROM job_event WHERE job_id = ANY (ids);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_forget(uuid[]) FROM PUBLIC;
