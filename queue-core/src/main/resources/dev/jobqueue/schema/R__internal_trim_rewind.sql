-- Deletes what every claim has seen by now, or finds anyway on its next walk from the start.
CREATE OR REPLACE FUNCTION internal_trim_rewind() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM rewind WHERE (queue, id) IN (
        SELECT r.queue, r.id FROM rewind r WHERE r.at < clock_timestamp() - interval '1 minute' FOR UPDATE SKIP LOCKED);
END
$$;

REVOKE ALL ON FUNCTION internal_trim_rewind() FROM PUBLIC;
