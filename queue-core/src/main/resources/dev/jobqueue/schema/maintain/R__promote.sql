-- SCHEDULED -> PENDING: those that are due. Returns when to call again: now, if there may be more; NULL, if none waits.
CREATE OR REPLACE FUNCTION promote(max int DEFAULT 1000) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    epochs constant int[] := internal_epochs();
    pages constant bigint := pg_stat_get_xact_blocks_fetched('scheduled_due'::regclass);
    bottom floor;
    tids tid[];
    missing int := promote.max;
    first timestamptz;
    next timestamptz;
    entered int;
    woken uuid[];
BEGIN
    IF (promote.max >= 1) IS NOT TRUE THEN
        PERFORM internal_invalid('max', promote.max::text, 'must be at least 1');
    END IF;
    FOR n IN 1 .. cardinality(epochs) LOOP
        bottom := internal_floor(epochs[n], 0, 1);
        tids := ARRAY(SELECT s.ctid FROM scheduled s
            WHERE s.epoch = epochs[n] AND (s.run_at, s.id) >= (bottom.run_at, bottom.id) AND s.run_at <= clock
            ORDER BY s.run_at, s.id LIMIT missing FOR UPDATE SKIP LOCKED);
        IF tids <> '{}' THEN
            entered := coalesce(entered, internal_enter());
            WITH due AS (
                DELETE FROM scheduled WHERE ctid = ANY (tids) RETURNING hash, rank, run_at, id, type, size
            ), moved AS (
                INSERT INTO ready (epoch, hash, rank, run_at, id, type, size)
                SELECT entered, hash, rank, run_at, id, type, size FROM due
            )
            SELECT woken || array_agg(id) INTO woken FROM (SELECT DISTINCT ON (hash) id FROM due ORDER BY hash) AS d;
            missing := missing - cardinality(tids);
        END IF;
        EXIT WHEN missing = 0;
        SELECT s.run_at INTO first FROM scheduled s
        WHERE s.epoch = epochs[n] AND (s.run_at, s.id) >= (bottom.run_at, bottom.id)
        ORDER BY s.run_at, s.id LIMIT 1;
        -- A due one that is left was locked. Whoever holds it may leave it where it is, and nobody would tell.
        next := least(next, CASE WHEN first <= clock THEN clock + interval '1 second' ELSE first END);
    END LOOP;
    PERFORM pg_notify(current_schema(), q)
    FROM (SELECT DISTINCT j.queue FROM job j WHERE j.id = ANY (woken)) AS n (q);
    IF pg_stat_get_xact_blocks_fetched('scheduled_due'::regclass) - pages > 50 + (promote.max - missing) / 2 THEN
        PERFORM internal_advance(NULL, NULL, true);
    END IF;
    RETURN CASE WHEN missing = 0 THEN clock ELSE next END;
END
$$;

REVOKE ALL ON FUNCTION promote(int) FROM PUBLIC;
