-- One page of what was done, the latest first: before the given entry, or from the last one.
CREATE OR REPLACE FUNCTION find_actions(before bigint DEFAULT NULL, max int DEFAULT 50) RETURNS TABLE (
    id bigint, at timestamptz, actor text, action text, target text, filter jsonb, jobs bigint, can_undo boolean,
    undone_at timestamptz, undone_by text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
    IF (find_actions.max BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', find_actions.max::text, 'must be between 1 and 1000');
    END IF;
    RETURN QUERY
    SELECT a.id, a.at, a.actor, a.action, a.target, a.filter, a.jobs, a.undo IS NOT NULL AND a.undone_at IS NULL,
        a.undone_at, a.undone_by
    FROM audit a WHERE a.id < coalesce(find_actions.before, 9223372036854775807)
    ORDER BY a.id DESC LIMIT find_actions.max;
END
$$;

REVOKE ALL ON FUNCTION find_actions(bigint, int) FROM PUBLIC;
