-- SCHEDULED, WAITING, PENDING -> no place: a job whose row the caller holds locked. Returns the state it had; NULL if
-- it is RUNNING. Looks where a job moves on from before where it moves on to, so it cannot slip by.
CREATE OR REPLACE FUNCTION internal_withdraw(j job) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    queue_hash constant bigint := hashtextextended(j.queue, 0);
    epochs int[];
BEGIN
    DELETE FROM scheduled s WHERE s.hash = queue_hash AND s.run_at = j.run_at AND s.id = j.id;
    IF FOUND THEN
        RETURN 'SCHEDULED';
    END IF;
    IF j.line IS NOT NULL THEN
        DELETE FROM waiting w WHERE w.hash = queue_hash AND w.run_at = j.run_at AND w.id = j.id;
        RETURN CASE WHEN FOUND THEN 'WAITING' END;
    END IF;
    epochs := internal_epochs();
    DELETE FROM ready r WHERE r.epoch = ANY (epochs) AND r.hash = queue_hash AND r.rank = ~j.priority
        AND r.run_at = j.run_at AND r.id = j.id;
    RETURN CASE WHEN FOUND THEN 'PENDING' END;
END
$$;

REVOKE ALL ON FUNCTION internal_withdraw(job) FROM PUBLIC;
