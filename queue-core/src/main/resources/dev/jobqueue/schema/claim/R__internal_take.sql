-- Takes due jobs of one queue out of ready, in claim order, skipping those that others are taking; returns their ids.
-- No job after those that reach max_bytes; one job at least.
CREATE OR REPLACE FUNCTION internal_take(
    queue text, types text[], wanted int, max_bytes bigint, tidies boolean
) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    queue_hash constant bigint := hashtextextended(queue, 0);
    epochs constant int[] := internal_epochs();
    entries bigint := pg_stat_get_xact_tuples_returned('ready_claim'::regclass);
    pages bigint := pg_stat_get_xact_blocks_fetched('ready_claim'::regclass);
    floors floor[];
    tids tid[];
    ids uuid[];
    patience int;
BEGIN
    IF cardinality(epochs) = 1 THEN
        floors := ARRAY[(epochs[1], queue_hash, 0, -2147483648, '-infinity',
            '00000000-0000-0000-0000-000000000000')::floor];
    ELSE
        floors := ARRAY(SELECT f FROM unnest(epochs) AS e
                CROSS JOIN LATERAL internal_floor(e, queue_hash, internal_filter(types)) AS f
            WHERE f.run_at < 'infinity' AND EXISTS (SELECT FROM ready r WHERE r.epoch = f.epoch AND r.hash = queue_hash
                AND (r.rank, r.run_at, r.id) >= (f.rank, f.run_at, f.id)));
    END IF;
    IF cardinality(floors) = 1 THEN
        SELECT array_agg(f.ctid), array_agg(f.id) INTO tids, ids FROM (
            SELECT f.*, sum(f.size) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (
                SELECT r.ctid, r.id, r.size FROM ready r
                WHERE r.epoch = floors[1].epoch AND r.hash = queue_hash
                    AND (r.rank, r.run_at, r.id) >= (floors[1].rank, floors[1].run_at, floors[1].id)
                    AND (types IS NULL OR r.type = ANY (types))
                ORDER BY r.rank, r.run_at, r.id LIMIT wanted FOR UPDATE SKIP LOCKED) AS f) AS f
        WHERE (f.before >= max_bytes) IS NOT TRUE;
    ELSIF floors <> '{}' THEN
        SELECT array_agg(f.tid), array_agg(f.id) INTO tids, ids FROM (
            SELECT f.*, sum(f.size) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
            FROM internal_search(floors, types, wanted) AS f) AS f
        WHERE (f.before >= max_bytes) IS NOT TRUE;
    END IF;
    entries := pg_stat_get_xact_tuples_returned('ready_claim'::regclass) - entries;
    pages := pg_stat_get_xact_blocks_fetched('ready_claim'::regclass) - pages;
    DELETE FROM ready WHERE ctid = ANY (tids);
    -- The more epochs there are, the longer a walk may be before there is another one.
    patience := 1 << (cardinality(epochs) / 8);
    IF entries > (2000 + 5 * coalesce(cardinality(ids), 0)) * patience
            OR pages > (50 + coalesce(cardinality(ids), 0) / 20) * patience + 4 * cardinality(epochs) THEN
        PERFORM internal_advance(queue_hash, types, true);
    ELSIF cardinality(epochs) > 1 AND tidies THEN
        -- Some of the older epochs may be empty by now.
        PERFORM internal_advance(queue_hash, types, false);
    END IF;
    RETURN ids;
END
$$;

-- The same search where several epochs have entries of the queue: finds the first so many of each, and locks the first
-- of these all. Where others are taking some of them, it has to reach further.
CREATE OR REPLACE FUNCTION internal_search(floors floor[], types text[], wanted int)
RETURNS TABLE (tid tid, id uuid, size int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    reach int := wanted;
    is_all boolean;
    tids tid[];
    ids uuid[];
    sizes int[];
BEGIN
    LOOP
        WITH found AS MATERIALIZED (
            SELECT r.ctid FROM unnest(floors) AS f CROSS JOIN LATERAL (
                SELECT r.ctid, r.rank, r.run_at, r.id FROM ready r
                WHERE r.epoch = f.epoch AND r.hash = f.hash AND (r.rank, r.run_at, r.id) >= (f.rank, f.run_at, f.id)
                    AND (types IS NULL OR r.type = ANY (types))
                ORDER BY r.rank, r.run_at, r.id LIMIT reach) AS r
            ORDER BY r.rank, r.run_at, r.id LIMIT reach
        ), locked AS (
            SELECT r.ctid, r.id, r.size FROM ready r WHERE r.ctid = ANY (ARRAY(SELECT f.ctid FROM found f))
            ORDER BY r.rank, r.run_at, r.id LIMIT wanted FOR UPDATE SKIP LOCKED
        )
        SELECT array_agg(l.ctid), array_agg(l.id), array_agg(l.size), (SELECT count(*) FROM found) < reach
        INTO tids, ids, sizes, is_all FROM locked l;
        EXIT WHEN is_all OR cardinality(tids) = wanted;
        reach := reach * 4;
    END LOOP;
    RETURN QUERY SELECT * FROM unnest(tids, ids, sizes);
END
$$;

REVOKE ALL ON FUNCTION internal_take(text, text[], int, bigint, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_search(floor[], text[], int) FROM PUBLIC;
