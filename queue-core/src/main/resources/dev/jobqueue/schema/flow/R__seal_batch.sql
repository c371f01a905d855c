-- All members of a batch are there, but for those that members add: it finishes when all have ended.
CREATE OR REPLACE FUNCTION seal_batch(batch uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM internal_check_batches(ARRAY[batch], 'batch');
    IF batch IS NULL THEN
        PERFORM internal_no_flow(batch);
    END IF;
    INSERT INTO flow_tick (flow, what) VALUES (batch, 'SEAL');
    PERFORM pg_notify(current_schema(), 'flow');
END
$$;

REVOKE ALL ON FUNCTION seal_batch(uuid) FROM PUBLIC;
