-- Windows of unique keys (unique_for). Called with the jobs that were inserted, which hold their keys against everybody
-- else, and so after whoever had a key before has committed: those whose key is taken until later are deleted again, or
-- refused (FAIL). Then the windows of the others begin, and of jobs that were replaced. Returns the jobs that are left.
CREATE OR REPLACE FUNCTION internal_take_keys(
    clock timestamptz, ids uuid[], types text[], unique_keys text[], unique_for_ms bigint[], on_conflicts text[],
    published uuid[], replaced uuid[]
) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    barred uuid[];
    refused record;
    wanted bigint;
    begun bigint;
BEGIN
    IF published <> '{}' THEN
        SELECT array_agg(g.id) AS ids, (array_agg(g.i ORDER BY g.i) FILTER (WHERE g.mode = 'FAIL'))[1] AS i,
            (array_agg(t.job_id ORDER BY g.i) FILTER (WHERE g.mode = 'FAIL'))[1] AS job_id,
            (array_agg(t.until ORDER BY g.i) FILTER (WHERE g.mode = 'FAIL'))[1] AS until
        INTO refused FROM unnest(ids, types, unique_keys, on_conflicts) WITH ORDINALITY
                AS g (id, type, unique_key, mode, i)
            JOIN unnest(published) AS p (id) ON p.id = g.id
            -- OFFSET 0 keeps the planner from reading all keys or jobs, which may look like few to it.
            CROSS JOIN LATERAL (SELECT * FROM taken_key t WHERE t.type = g.type AND t.key = g.unique_key
                AND t.until > clock AND t.job_id <> g.id OFFSET 0) AS t;
        IF refused.i IS NOT NULL THEN
            PERFORM internal_taken(types[refused.i], unique_keys[refused.i], refused.job_id,
                format('has it until %s', refused.until));
        END IF;
        barred := refused.ids;
        IF barred IS NOT NULL THEN
            DELETE FROM job WHERE id = ANY (barred);
            published := ARRAY(SELECT p FROM unnest(published) AS p WHERE p <> ALL (barred));
        END IF;
    END IF;

    IF array_remove(unique_for_ms, NULL) <> '{}' THEN
        WITH window_of AS (
            SELECT j.type, j.unique_key, max(clock + g.unique_for_ms * interval '1 millisecond') AS until, j.id
            FROM unnest(types, unique_keys, unique_for_ms) AS g (type, unique_key, unique_for_ms)
                CROSS JOIN LATERAL (SELECT j.id, j.type, j.unique_key FROM job j
                    WHERE j.type = g.type AND j.unique_key = g.unique_key OFFSET 0) AS j
                JOIN unnest(published || replaced) AS p (id) ON p.id = j.id
            WHERE g.unique_for_ms IS NOT NULL GROUP BY j.type, j.unique_key, j.id
        ), taken AS (
            INSERT INTO taken_key (type, key, until, job_id)
            SELECT w.type, w.unique_key, w.until, w.id FROM window_of w ORDER BY w.type, w.unique_key
            ON CONFLICT (type, key) DO UPDATE
                SET until = greatest(taken_key.until, excluded.until), job_id = excluded.job_id
                -- A job that was replayed has its key live beside the window of another one.
                WHERE taken_key.until <= clock OR taken_key.job_id = excluded.job_id OR excluded.job_id = ANY (replaced)
            RETURNING 1)
        SELECT (SELECT count(*) FROM window_of), (SELECT count(*) FROM taken) INTO wanted, begun;
        IF begun < wanted THEN
            RAISE EXCEPTION 'a unique key was taken meanwhile' USING ERRCODE = '40001', HINT = 'Try again.';
        END IF;
    END IF;
    RETURN published;
END
$$;

-- Ends the windows of jobs that nobody wants any more: cancelled, or purged from the dead letters.
CREATE OR REPLACE FUNCTION internal_free_keys(ids uuid[], types text[], unique_keys text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_nestloop = on SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
BEGIN
    IF array_remove(unique_keys, NULL) <> '{}' THEN
        DELETE FROM taken_key t USING unnest(ids, types, unique_keys) AS g (id, type, unique_key)
        WHERE t.type = g.type AND t.key = g.unique_key AND t.job_id = g.id;
    END IF;
END
$$;

-- Deletes windows that are over; what somebody is renewing is left.
CREATE OR REPLACE FUNCTION internal_trim_taken_keys(max int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    trimmed bigint;
BEGIN
    DELETE FROM taken_key WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM taken_key t WHERE t.until < clock_timestamp() ORDER BY t.until
        LIMIT internal_trim_taken_keys.max FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS trimmed = ROW_COUNT;
    RETURN trimmed;
END
$$;

REVOKE ALL ON FUNCTION internal_take_keys(timestamptz, uuid[], text[], text[], bigint[], text[], uuid[], uuid[])
    FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_free_keys(uuid[], text[], text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_trim_taken_keys(int) FROM PUBLIC;
