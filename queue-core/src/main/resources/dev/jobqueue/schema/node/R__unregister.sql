-- The worker leaves, after it settled or released its jobs. One that is not registered is gone already.
CREATE OR REPLACE FUNCTION unregister(worker_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    -- Published in a transaction that was open while the worker stopped.
    PERFORM internal_release(ARRAY(
        SELECT l.number FROM lease l WHERE l.worker_id = unregister.worker_id AND l.is_direct));
    PERFORM internal_tidy(ARRAY(SELECT l.number FROM lease l WHERE l.worker_id = unregister.worker_id));
    IF EXISTS (SELECT FROM lease l WHERE l.worker_id = unregister.worker_id) THEN
        PERFORM internal_invalid('worker_id', unregister.worker_id::text,
            'must hold no running jobs; settle or release them first');
    END IF;
    DELETE FROM worker WHERE id = unregister.worker_id;
END
$$;

REVOKE ALL ON FUNCTION unregister(uuid) FROM PUBLIC;
