-- Removes history row by row where its partition stays: what is kept for less time than the longest retention or than a
-- day, each kind from where the last call ended, and what sits in the default partition. At most max rows; returns how
-- many.
CREATE OR REPLACE FUNCTION internal_prune_rows(clock timestamptz, max int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    kind record;
    gone record;
    room bigint := internal_prune_rows.max;
BEGIN
    FOR kind IN SELECT * FROM internal_kept(clock) AS k
        WHERE (NOT k.is_longest OR k.retention < interval '1 day') AND k.pruned_to < k.expired_to
    LOOP
        EXIT WHEN room = 0;
        WITH old AS (
            SELECT h.id, h.finished_at FROM job_history h
            WHERE h.finished_at >= kind.pruned_to AND h.finished_at < kind.expired_to
                AND CASE WHEN kind.name IS NOT NULL THEN h.queue = kind.name
                    ELSE NOT EXISTS (SELECT FROM queue q WHERE q.name = h.queue AND q.retention IS NOT NULL) END
            ORDER BY h.finished_at LIMIT room
        ), removed AS (
            DELETE FROM job_history h USING old WHERE h.id = old.id AND h.finished_at = old.finished_at
            RETURNING h.id, h.finished_at, h.steps > 0 OR h.events > 0 AS has_more
        )
        SELECT count(*) AS rows, max(finished_at) AS upto, array_agg(id) FILTER (WHERE has_more) AS ids
        INTO gone FROM removed;
        PERFORM internal_forget(gone.ids);
        IF gone.rows < room THEN
            gone.upto := kind.expired_to;
        END IF;
        room := room - gone.rows;
        UPDATE queue q SET pruned_to = gone.upto WHERE q.name = kind.name;
        UPDATE setting s SET pruned_to = gone.upto WHERE kind.name IS NULL;
    END LOOP;

    WITH removed AS (
        DELETE FROM job_history_default WHERE (id, finished_at) IN (
            SELECT d.id, d.finished_at FROM job_history_default d
            WHERE d.finished_at < (SELECT clock - max(k.retention) FROM internal_kept(clock) AS k) LIMIT room)
        RETURNING id, steps > 0 OR events > 0 AS has_more)
    SELECT count(*) AS rows, array_agg(id) FILTER (WHERE has_more) AS ids INTO gone FROM removed;
    PERFORM internal_forget(gone.ids);
    RETURN internal_prune_rows.max - room + gone.rows;
END
$$;

REVOKE ALL ON FUNCTION internal_prune_rows(timestamptz, int) FROM PUBLIC;
