-- Retires what an application defined in code or configuration and does not define any more; returns the names. A
-- retired schedule rests until it is set or deleted.
CREATE OR REPLACE FUNCTION retire_schedules(owner text, keep text[]) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '5s'
AS $$
#variable_conflict use_column
BEGIN
    PERFORM internal_check_name('owner', retire_schedules.owner);
    RETURN QUERY
    UPDATE schedule AS s SET retired_at = clock_timestamp(), next_run_at = NULL
    WHERE s.owner = retire_schedules.owner AND s.origin <> 'API' AND s.retired_at IS NULL
        AND s.name <> ALL (coalesce(keep, '{}'))
    RETURNING s.name;
END
$$;

REVOKE ALL ON FUNCTION retire_schedules(text, text[]) FROM PUBLIC;
