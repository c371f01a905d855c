-- Whose values are replaced with other ones, if they are those of another application, and who owns which value
-- afterwards. Values by name; of the given ones, null leaves a value as it is. Without an owner it is an operator who
-- sets them.
CREATE OR REPLACE FUNCTION internal_own(
    held jsonb, given jsonb, owners jsonb, owner text, OUT replaced text, OUT owners_now jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT min(owners ->> g.key) FILTER (WHERE g.value <> held -> g.key AND owners ->> g.key <> owner),
        owners || coalesce(jsonb_object_agg(g.key, owner)
            FILTER (WHERE owners ->> g.key IS NULL OR g.value IS DISTINCT FROM held -> g.key), '{}')
    FROM jsonb_each(jsonb_strip_nulls(given)) AS g
$$;

REVOKE ALL ON FUNCTION internal_own(jsonb, jsonb, jsonb, text) FROM PUBLIC;
