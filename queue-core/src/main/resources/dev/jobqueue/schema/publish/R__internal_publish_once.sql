-- The jobs of publish_many that may exist already: under ids that the caller chose, or with a unique key. An id that
-- was used, or a key that a live job holds, answers with that job.
CREATE OR REPLACE FUNCTION internal_publish_once(
    entered int, clock timestamptz, ids uuid[], types text[], payloads json[], queues text[], priorities int[],
    run_ats timestamptz[], delays_ms bigint[], max_attempts int[], timeouts_ms bigint[], unique_keys text[],
    headers jsonb[], given_ids boolean, lined limited[], OUT answer uuid[], OUT woken text[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    published uuid[];
    -- Ids found to be used; kept over a rollback, so that such a job does not hold its key again.
    used uuid[] := '{}';
BEGIN
    IF given_ids THEN
        INSERT INTO given_id (id)
        SELECT DISTINCT g.id FROM unnest(ids) AS g (id) ORDER BY g.id
        ON CONFLICT (id) DO UPDATE SET at = excluded.at WHERE given_id.at < excluded.at - interval '1 hour';
        -- A snapshot may show a job that has left the table since: its id conflicts with nothing, but is used.
        used := ARRAY(SELECT j.id FROM job j WHERE j.id = ANY (ids));
    END IF;
    LOOP BEGIN
        -- In the order of the keys, so that two publishers of the same keys wait for each other in one direction.
        WITH new AS (
            INSERT INTO job (id, queue, type, priority, run_at, payload, headers, max_attempts, timeout, unique_key,
                created_at, version, limits, limit_keys, gates, line, seq)
            SELECT g.id, coalesce(g.queue, 'default'), g.type, coalesce(g.priority, 0),
                coalesce(g.run_at, clock + g.delay_ms * interval '1 millisecond', clock), g.payload, g.headers,
                g.max_attempts, g.timeout_ms * interval '1 millisecond', g.unique_key, clock,
                (random() * 1000000000)::int, (lined[g.i]).limits, (lined[g.i]).keys, (lined[g.i]).gates,
                (lined[g.i]).line, (lined[g.i]).seq
            FROM unnest(ids, types, payloads, queues, priorities, run_ats, delays_ms,
                    internal_publish_once.max_attempts, timeouts_ms, unique_keys, internal_publish_once.headers)
                WITH ORDINALITY AS g (id, type, payload, queue, priority, run_at, delay_ms, max_attempts, timeout_ms,
                    unique_key, headers, i)
            WHERE g.id <> ALL (used)
            ORDER BY g.type, g.unique_key, g.id
            ON CONFLICT DO NOTHING
            RETURNING id)
        SELECT array_agg(id) INTO published FROM new;
        -- Looked up after the insert: only then has whoever was settling a job of this id surely committed.
        IF given_ids THEN
            WITH gone AS (
                DELETE FROM job WHERE id = ANY (published) AND (
                    EXISTS (SELECT FROM dead_letter d WHERE d.id = job.id)
                    OR EXISTS (SELECT FROM job_history h WHERE h.id = job.id))
                RETURNING id)
            SELECT used || array_agg(id) INTO used FROM gone;
        END IF;
        SELECT array_agg(CASE
            WHEN g.id = ANY (used)
                OR EXISTS (SELECT FROM job j WHERE j.id = g.id)
                OR given_ids AND EXISTS (SELECT FROM dead_letter d WHERE d.id = g.id)
                OR given_ids AND EXISTS (SELECT FROM job_history h WHERE h.id = g.id) THEN g.id
            ELSE (SELECT j.id FROM job j WHERE j.type = g.type AND j.unique_key = g.unique_key) END ORDER BY i)
        INTO answer FROM unnest(ids, types, unique_keys) WITH ORDINALITY AS g (id, type, unique_key, i);
        EXIT WHEN array_position(answer, NULL) IS NULL;
        -- The job that held a key has left: give up our own by a rollback, or the order is lost, and try again.
        RAISE EXCEPTION 'a unique key became free' USING ERRCODE = 'JQ001';
    EXCEPTION WHEN SQLSTATE 'JQ001' THEN
        NULL;
    END; END LOOP;

    woken := internal_put_new(published, entered, clock, lined IS NOT NULL);
END
$$;

-- -> PENDING or WAITING, or SCHEDULED, by their time: jobs that were just inserted. limited: whether any has limits.
-- Returns their queues, '' for those due later.
CREATE OR REPLACE FUNCTION internal_put_new(published uuid[], entered int, clock timestamptz, limited boolean)
RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO ready (epoch, hash, rank, run_at, id, type, size)
    SELECT entered, hashtextextended(j.queue, 0), ~j.priority, j.run_at, j.id, j.type,
        octet_length(j.payload::text) + coalesce(octet_length(j.headers::text), 0)
    FROM job j WHERE j.id = ANY (published) AND j.run_at <= clock AND j.line IS NULL;
    IF limited THEN
        PERFORM internal_wait(ARRAY(SELECT j.id FROM job j
            WHERE j.id = ANY (published) AND j.run_at <= clock AND j.line IS NOT NULL), entered);
    END IF;
    INSERT INTO scheduled (epoch, hash, rank, run_at, id, type, size, line)
    SELECT entered, hashtextextended(j.queue, 0), ~j.priority, j.run_at, j.id, j.type,
        octet_length(j.payload::text) + coalesce(octet_length(j.headers::text), 0), j.line
    FROM job j WHERE j.id = ANY (published) AND j.run_at > clock;
    RETURN ARRAY(SELECT DISTINCT CASE WHEN j.run_at <= clock THEN j.queue ELSE '' END
        FROM job j WHERE j.id = ANY (published));
END
$$;

REVOKE ALL ON FUNCTION internal_put_new(uuid[], int, timestamptz, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_publish_once(int, timestamptz, uuid[], text[], json[], text[], int[], timestamptz[],
    bigint[], int[], bigint[], text[], jsonb[], boolean, limited[]) FROM PUBLIC;
