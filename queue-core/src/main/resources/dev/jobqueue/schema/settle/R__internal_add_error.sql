-- The errors of a job with one more: the first and the last 99 are kept, so that a job that is tried for ever stays
-- small.
CREATE OR REPLACE FUNCTION internal_add_error(errors jsonb, attempt int, at timestamptz, error text) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT CASE WHEN jsonb_array_length(coalesce(errors, '[]')) >= 100 THEN errors - 1 ELSE coalesce(errors, '[]') END
        || jsonb_build_object('attempt', attempt, 'at', at, 'error', error)
$$;

REVOKE ALL ON FUNCTION internal_add_error(jsonb, int, timestamptz, text) FROM PUBLIC;
