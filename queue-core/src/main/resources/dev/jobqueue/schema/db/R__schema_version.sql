-- Which schema this is: nodes compare it with the one they were built for when they start.
-- version and fingerprint are those of the files. serves is the oldest version whose nodes work with this schema: it is
-- raised only by a change that takes something away from them, such as a function that changed its arguments.
CREATE OR REPLACE FUNCTION schema_version() RETURNS TABLE (version int, serves int, fingerprint text)
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$ SELECT ${version}, 6, '${fingerprint}' $$;

REVOKE ALL ON FUNCTION schema_version() FROM PUBLIC;
