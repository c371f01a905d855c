-- A batch or flow, from one row; no row if nobody knows it. The numbers may be some milliseconds behind what its jobs
-- did.
CREATE OR REPLACE FUNCTION find_flow(flow uuid) RETURNS TABLE (
    id uuid, kind text, name text, key text, state text, sealed boolean, cancelling boolean, round int, total bigint,
    done bigint, dead bigint, cancelled bigint, percent int, parent uuid, created_at timestamptz,
    finished_at timestamptz, problem text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT f.id, f.kind, f.name, f.key, f.state, f.sealed, f.cancelling, f.round, f.total, f.done, f.dead, f.cancelled,
        internal_percent(f), f.parent, f.created_at, f.finished_at, f.problem
    FROM flow f WHERE f.id = find_flow.flow;
END
$$;

-- How much of it has ended; NULL while nothing is known of it.
CREATE OR REPLACE FUNCTION internal_percent(f flow) RETURNS int
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT CASE WHEN f.finished_at IS NOT NULL THEN 100
        WHEN f.total > 0 THEN ((f.done + f.dead + f.cancelled) * 100 / f.total)::int END
$$;

REVOKE ALL ON FUNCTION find_flow(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_percent(flow) FROM PUBLIC;
