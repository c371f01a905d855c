-- SCHEDULED, WAITING, PENDING -> no place: those of the given jobs that still match the filter and have the state it
-- names. Returns them; their rows stay locked. Waits for nobody: what others hold, such as a claim or a promotion that
-- has not ended, is passed over.
CREATE OR REPLACE FUNCTION internal_withdraw_many(ids uuid[], filter jsonb) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    pattern constant text := filter ->> 'error_like';
    since constant timestamptz := filter ->> 'since';
    before constant timestamptz := filter ->> 'before';
    held uuid[];
    epochs int[];
    tids tid[];
    withdrawn uuid[];
BEGIN
    held := ARRAY(SELECT j.id FROM job j
        WHERE j.id = ANY (internal_withdraw_many.ids) AND (pattern IS NULL OR j.errors -> -1 ->> 'error' LIKE pattern)
            AND (j.run_at >= since) IS NOT FALSE AND (j.run_at < before) IS NOT FALSE
        ORDER BY j.id FOR UPDATE SKIP LOCKED);
    IF filter ->> 'state' = 'SCHEDULED' THEN
        SELECT array_agg(s.ctid), array_agg(s.id) INTO tids, withdrawn
        FROM job j CROSS JOIN LATERAL (
            SELECT s.ctid, s.id FROM scheduled s
            WHERE s.hash = hashtextextended(j.queue, 0) AND s.run_at = j.run_at AND s.id = j.id
            FOR UPDATE SKIP LOCKED) AS s
        WHERE j.id = ANY (held);
        DELETE FROM scheduled WHERE ctid = ANY (tids);
    ELSIF filter ->> 'state' = 'WAITING' THEN
        SELECT array_agg(w.ctid), array_agg(w.id) INTO tids, withdrawn
        FROM job j CROSS JOIN LATERAL (
            SELECT w.ctid, w.id FROM waiting w
            WHERE w.hash = hashtextextended(j.queue, 0) AND w.run_at = j.run_at AND w.id = j.id
            FOR UPDATE SKIP LOCKED) AS w
        WHERE j.id = ANY (held);
        DELETE FROM waiting WHERE ctid = ANY (tids);
    ELSE
        epochs := internal_epochs();
        SELECT array_agg(r.ctid), array_agg(r.id) INTO tids, withdrawn
        FROM job j CROSS JOIN LATERAL (
            SELECT r.ctid, r.id FROM ready r
            WHERE r.epoch = ANY (epochs) AND r.hash = hashtextextended(j.queue, 0) AND r.rank = ~j.priority
                AND r.run_at = j.run_at AND r.id = j.id
            FOR UPDATE SKIP LOCKED) AS r
        WHERE j.id = ANY (held);
        DELETE FROM ready WHERE ctid = ANY (tids);
    END IF;
    RETURN coalesce(withdrawn, '{}');
END
$$;

REVOKE ALL ON FUNCTION internal_withdraw_many(uuid[], jsonb) FROM PUBLIC;
