-- Keeps what somebody did; call it in the transaction of the action. undo: what would take it back, for undo_action.
-- Returns the number of the entry. Entries are kept for 90 days (prune).
CREATE OR REPLACE FUNCTION record_action(
    actor text, action text, target text DEFAULT NULL, filter jsonb DEFAULT NULL, jobs bigint DEFAULT 0,
    undo jsonb DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    number bigint;
BEGIN
    PERFORM internal_check_name('actor', actor);
    PERFORM internal_check_name('action', action);
    INSERT INTO audit (at, actor, action, target, filter, jobs, undo)
    VALUES (clock_timestamp(), record_action.actor, record_action.action, left(record_action.target, 300),
        record_action.filter, coalesce(record_action.jobs, 0), record_action.undo)
    RETURNING id INTO number;
    RETURN number;
END
$$;

-- Adds to the number of jobs of an action that is done batch by batch, in the transaction of the batch.
CREATE OR REPLACE FUNCTION add_to_action(id bigint, jobs bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE audit a SET jobs = a.jobs + add_to_action.jobs WHERE a.id = add_to_action.id;
    IF NOT FOUND THEN
        PERFORM internal_no_action(add_to_action.id);
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION internal_no_action(id bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RAISE EXCEPTION 'no action has the number %', id
        USING ERRCODE = 'JQ404', HINT = 'It never existed, or is older than 90 days.';
END
$$;

REVOKE ALL ON FUNCTION record_action(text, text, text, jsonb, bigint, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION add_to_action(bigint, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_no_action(bigint) FROM PUBLIC;
