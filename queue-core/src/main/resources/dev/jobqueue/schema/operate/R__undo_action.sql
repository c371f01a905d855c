-- Marks an entry as undone and returns what takes the action back: the caller does that, in the same transaction.
CREATE OR REPLACE FUNCTION undo_action(id bigint, actor text) RETURNS TABLE (action text, target text, undo jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    entry audit;
BEGIN
    PERFORM internal_check_name('actor', actor);
    SELECT * INTO entry FROM audit a WHERE a.id = undo_action.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM internal_no_action(undo_action.id);
    ELSIF entry.undo IS NULL THEN
        PERFORM internal_invalid('id', undo_action.id::text, 'must be an action that can be undone');
    ELSIF entry.undone_at IS NOT NULL THEN
        PERFORM internal_invalid('id', undo_action.id::text, format('was undone by %s', entry.undone_by));
    END IF;
    UPDATE audit a SET undone_at = clock_timestamp(), undone_by = undo_action.actor WHERE a.id = undo_action.id;
    RETURN QUERY SELECT entry.action, entry.target, entry.undo;
END
$$;

REVOKE ALL ON FUNCTION undo_action(bigint, text) FROM PUBLIC;
