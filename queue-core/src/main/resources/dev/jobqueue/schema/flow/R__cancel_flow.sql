-- Cancels what has not ended of a batch or flow: what waits at once, running jobs are asked, a thousand at a time by
-- resolve. compensate: undoes what is done, as if the flow had failed; a flow that is being undone already goes on with
-- that. Returns the state as it is now; one that has finished keeps its state.
CREATE OR REPLACE FUNCTION cancel_flow(flow uuid, compensate boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    found_state text := (SELECT f.state FROM flow f WHERE f.id = cancel_flow.flow);
BEGIN
    IF found_state IS NULL THEN
        PERFORM internal_no_flow(cancel_flow.flow);
    ELSIF found_state IN ('RUNNING', 'COMPENSATING') THEN
        INSERT INTO flow_tick (flow, what)
        VALUES (cancel_flow.flow, CASE WHEN compensate THEN 'COMPENSATE' ELSE 'CANCEL' END);
        PERFORM pg_notify(current_schema(), 'flow');
    END IF;
    RETURN found_state;
END
$$;

REVOKE ALL ON FUNCTION cancel_flow(uuid, boolean) FROM PUBLIC;
