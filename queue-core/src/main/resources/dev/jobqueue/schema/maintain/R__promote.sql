-- SCHEDULED -> PENDING, or WAITING with limits: those that are due. Returns when to call again: now, if there may be
-- more; NULL, if none waits. A gate that opens at a time counts as well: claims find something then.
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
    lined uuid[];
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
                DELETE FROM scheduled WHERE ctid = ANY (tids) RETURNING hash, rank, run_at, id, type, size, line
            ), moved AS (
                INSERT INTO ready (epoch, hash, rank, run_at, id, type, size)
                SELECT entered, hash, rank, run_at, id, type, size FROM due WHERE line IS NULL
            )
            SELECT woken || array_agg(d.id) FILTER (WHERE d.of_hash = 1),
                array_agg(d.id) FILTER (WHERE d.line IS NOT NULL)
            INTO woken, lined
            FROM (SELECT id, line, row_number() OVER (PARTITION BY hash) AS of_hash FROM due) AS d;
            IF lined IS NOT NULL THEN
                PERFORM internal_wait(lined, entered);
            END IF;
            missing := missing - cardinality(tids);
        END IF;
        EXIT WHEN missing = 0;
        SELECT s.run_at INTO first FROM scheduled s
        WHERE s.epoch = epochs[n] AND (s.run_at, s.id) >= (bottom.run_at, bottom.id)
        ORDER BY s.run_at, s.id LIMIT 1;
        -- A due one that is left was locked. Whoever holds it may leave it where it is, and nobody would tell.
        next := least(next, CASE WHEN first <= clock THEN clock + interval '1 second' ELSE first END,
            (SELECT t.at FROM turn t WHERE t.epoch = epochs[n] AND t.hash = 0 AND t.at > clock ORDER BY t.at LIMIT 1));
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
