-- Puts jobs that stand nowhere back where they belong, going on where the last call ended; returns how many there were.
-- None ever should: a net for restored dumps and rows changed by hand.
CREATE OR REPLACE FUNCTION internal_sweep(max int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    epochs constant int[] := internal_epochs();
    looked uuid[];
    suspects uuid[];
    lost uuid[];
BEGIN
    looked := ARRAY(SELECT j.id FROM job j WHERE j.id > (SELECT s.swept_to FROM setting s) ORDER BY j.id LIMIT max);
    UPDATE setting SET swept_to = CASE WHEN cardinality(looked) < max
        THEN '00000000-0000-0000-0000-000000000000' ELSE looked[cardinality(looked)] END;
    suspects := ARRAY(SELECT p FROM internal_without_place(looked, epochs) AS p);
    IF suspects <> '{}' THEN
        -- Once more, when nobody can be moving them.
        suspects := ARRAY(SELECT j.id FROM job j WHERE j.id = ANY (suspects) ORDER BY j.id FOR UPDATE SKIP LOCKED);
        lost := ARRAY(SELECT p FROM internal_without_place(suspects, internal_epochs()) AS p);
        UPDATE job SET version = version + 1, timeout_at = NULL WHERE id = ANY (lost);
        PERFORM internal_leave(l.lined, 'ALL') FROM (
            SELECT array_agg((id, queue, type, limits, limit_keys, gates, line, seq)::limited) AS lined FROM job
            WHERE id = ANY (lost) AND line IS NOT NULL) AS l
        WHERE l.lined IS NOT NULL;
        PERFORM internal_put(array_agg(id) FILTER (WHERE run_at <= clock_timestamp()), 'PENDING'),
            internal_put(array_agg(id) FILTER (WHERE run_at > clock_timestamp()), 'SCHEDULED')
        FROM job WHERE id = ANY (lost);
        IF lost <> '{}' THEN
            RAISE WARNING '% jobs stood nowhere and were put back: %', cardinality(lost), lost[1:10];
        END IF;
    END IF;
    RETURN coalesce(cardinality(lost), 0);
END
$$;

CREATE OR REPLACE FUNCTION internal_without_place(ids uuid[], epochs int[]) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT j.id FROM job j
    WHERE j.id = ANY (ids)
        AND NOT EXISTS (SELECT FROM ready r WHERE r.epoch = ANY (epochs) AND r.hash = hashtextextended(j.queue, 0)
            AND r.rank = ~j.priority AND r.run_at = j.run_at AND r.id = j.id)
        -- In an epoch that began meanwhile.
        AND NOT EXISTS (SELECT FROM ready r WHERE r.epoch > epochs[cardinality(epochs)] AND r.id = j.id)
        AND NOT EXISTS (SELECT FROM scheduled s
            WHERE s.hash = hashtextextended(j.queue, 0) AND s.run_at = j.run_at AND s.id = j.id)
        AND NOT EXISTS (SELECT FROM waiting w
            WHERE w.hash = hashtextextended(j.queue, 0) AND w.run_at = j.run_at AND w.id = j.id)
        AND (j.id, j.version) NOT IN (
            SELECT h.id, h.version FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version))
$$;

REVOKE ALL ON FUNCTION internal_sweep(int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_without_place(uuid[], int[]) FROM PUBLIC;
