-- Pins the search_path to the chosen schema, so that no file names it and SET search_path FROM CURRENT is exact.
-- pg_temp comes last: otherwise it is searched first, and a caller's temporary table could shadow one of ours.
DO $$ BEGIN PERFORM set_config('search_path', format('%I, pg_temp', current_schema()), false); END $$;
