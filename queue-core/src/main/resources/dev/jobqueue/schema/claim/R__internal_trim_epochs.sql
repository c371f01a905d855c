-- Deletes what is known of epochs that are no longer searched, and of the others but the newest.
CREATE OR REPLACE FUNCTION internal_trim_epochs() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    epochs constant int[] := internal_epochs();
BEGIN
    DELETE FROM epoch e WHERE e.number < (SELECT max(n.number) FROM epoch n);
    DELETE FROM floor f WHERE f.epoch <> ALL (epochs);
END
$$;

REVOKE ALL ON FUNCTION internal_trim_epochs() FROM PUBLIC;
