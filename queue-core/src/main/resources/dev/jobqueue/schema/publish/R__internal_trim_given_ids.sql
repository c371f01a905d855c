-- Deletes the ids that every snapshot shows by now, in the jobs or in the history: no transaction is open for a day.
CREATE OR REPLACE FUNCTION internal_trim_given_ids() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM given_id WHERE at < clock_timestamp() - interval '1 day';
END
$$;

REVOKE ALL ON FUNCTION internal_trim_given_ids() FROM PUBLIC;
