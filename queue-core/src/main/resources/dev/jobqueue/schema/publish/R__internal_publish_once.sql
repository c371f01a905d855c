-- The jobs of publish_with_outcome that may exist already: under ids that the caller chose, or with a unique key. An id
-- that was used, or a key that is taken, answers with that job; or with what on_conflict says.
CREATE OR REPLACE FUNCTION internal_publish_once(
    entered int, clock timestamptz, ids uuid[], types text[], payloads json[], queues text[], priorities int[],
    run_ats timestamptz[], delays_ms bigint[], max_attempts int[], timeouts_ms bigint[], unique_keys text[],
    headers jsonb[], given_ids boolean, unique_for_ms bigint[], on_conflicts text[], max_delays_ms bigint[],
    lined limited[], OUT answer uuid[], OUT outcomes text[], OUT woken text[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    published uuid[];
    -- Ids found to be used; kept over a rollback, so that such a job does not hold its key again.
    used uuid[] := '{}';
    -- Of several jobs in this call with one key, those that a later one replaces: only the last is published.
    overtaken bigint[] := '{}';
    -- Those whose id is that of an earlier one.
    repeated bigint[] := '{}';
    -- Jobs that held keys: those that were withdrawn from where they stood, and those of them that were replaced.
    moved uuid[];
    replaced uuid[];
    -- Given jobs, and those that gave up their keys for them.
    heirs uuid[];
    elders uuid[];
BEGIN
    IF given_ids THEN
        INSERT INTO given_id (id)
        SELECT DISTINCT g.id FROM unnest(ids) AS g (id) ORDER BY g.id
        ON CONFLICT (id) DO UPDATE SET at = excluded.at WHERE given_id.at < excluded.at - interval '1 hour';
        -- A snapshot may show a job that has left the table since: its id conflicts with nothing, but is used.
        used := ARRAY(SELECT j.id FROM job j WHERE j.id = ANY (ids));
        repeated := ARRAY(SELECT g.i FROM (
            SELECT g.i, row_number() OVER (PARTITION BY g.id ORDER BY g.i) AS nth
            FROM unnest(ids) WITH ORDINALITY AS g (id, i)) AS g WHERE g.nth > 1);
    END IF;
    IF 'REPLACE' = ANY (on_conflicts) AND cardinality(types) > 1 THEN
        overtaken := internal_overtaken(types, unique_keys, on_conflicts);
    END IF;
    LOOP BEGIN
        published := '{}';
        moved := '{}';
        replaced := '{}';
        heirs := NULL;
        elders := NULL;
        -- The second time only those whose keys were given up for them: nobody else can have these, so that it waits
        -- for nobody, although it comes after keys that are greater.
        FOR pass IN 1 .. 2 LOOP
            -- In the order of the keys, so that two publishers of the same keys wait for each other in one direction.
            WITH new AS (
                INSERT INTO job (id, queue, type, priority, run_at, payload, headers, max_attempts, timeout,
                    unique_key, created_at, version, limits, limit_keys, gates, line, seq, supersedes)
                SELECT g.id, coalesce(g.queue, 'default'), g.type, coalesce(g.priority, 0),
                    least(coalesce(g.run_at, clock + g.delay_ms * interval '1 millisecond', clock),
                        clock + g.max_delay_ms * interval '1 millisecond'), g.payload, g.headers,
                    g.max_attempts, g.timeout_ms * interval '1 millisecond', g.unique_key, clock,
                    (random() * 1000000000)::int, (lined[g.i]).limits, (lined[g.i]).keys, (lined[g.i]).gates,
                    (lined[g.i]).line, (lined[g.i]).seq, elders[array_position(heirs, g.id)]
                FROM unnest(ids, types, payloads, queues, priorities, run_ats, delays_ms,
                        internal_publish_once.max_attempts, timeouts_ms, unique_keys, internal_publish_once.headers,
                        max_delays_ms) WITH ORDINALITY
                    AS g (id, type, payload, queue, priority, run_at, delay_ms, max_attempts, timeout_ms, unique_key,
                        headers, max_delay_ms, i)
                WHERE g.id <> ALL (used) AND g.i <> ALL (overtaken) AND (heirs IS NULL OR g.id = ANY (heirs))
                ORDER BY g.type, g.unique_key, CASE WHEN g.unique_key IS NULL THEN g.id END, g.i
                ON CONFLICT DO NOTHING
                RETURNING id)
            SELECT published || coalesce(array_agg(id), '{}') INTO published FROM new;
            -- Looked up after the insert: only then has whoever was settling a job of this id surely committed.
            IF given_ids THEN
                WITH gone AS (
                    DELETE FROM job WHERE id = ANY (published) AND (
                        EXISTS (SELECT FROM dead_letter d WHERE d.id = job.id)
                        OR EXISTS (SELECT FROM job_history h WHERE h.id = job.id))
                    RETURNING id)
                SELECT used || coalesce(array_agg(id), '{}') INTO used FROM gone;
                published := ARRAY(SELECT p FROM unnest(published) AS p WHERE p <> ALL (used));
            END IF;
            EXIT WHEN on_conflicts IS NULL OR cardinality(published) = cardinality(ids) OR pass = 2;
            IF given_ids THEN
                used := used || ARRAY(SELECT g.id FROM unnest(ids) AS g (id) WHERE g.id <> ALL (published || used) AND (
                    EXISTS (SELECT FROM job j WHERE j.id = g.id)
                    OR EXISTS (SELECT FROM dead_letter d WHERE d.id = g.id)
                    OR EXISTS (SELECT FROM job_history h WHERE h.id = g.id)));
            END IF;
            PERFORM internal_refuse_taken(ids, types, unique_keys, on_conflicts, published, used, overtaken);
            SELECT r.moved, r.replaced, r.heirs, r.elders INTO moved, replaced, heirs, elders
            FROM internal_replace(clock, ids, types, payloads, queues, priorities, run_ats, delays_ms,
                internal_publish_once.max_attempts, timeouts_ms, unique_keys, internal_publish_once.headers,
                on_conflicts, max_delays_ms, lined, published || used) AS r;
            EXIT WHEN heirs = '{}';
        END LOOP;
        -- Most applications have no windows.
        IF published || replaced <> '{}' AND unique_keys IS NOT NULL
                AND (unique_for_ms IS NOT NULL OR EXISTS (SELECT FROM taken_key)) THEN
            published := internal_take_keys(
                clock, ids, types, unique_keys, unique_for_ms, on_conflicts, published, replaced);
        END IF;

        SELECT array_agg(a.id ORDER BY a.i), array_agg(CASE
                WHEN a.is_new AND a.i <> ALL (repeated) THEN 'NEW'
                WHEN a.mode = 'REPLACE' AND a.id = ANY (replaced) OR a.i = ANY (overtaken)
                    AND a.id = ANY (replaced || published) THEN 'REPLACED'
                ELSE 'EXISTING' END ORDER BY a.i)
        INTO answer, outcomes FROM (
            SELECT g.i, g.mode, p.id IS NOT NULL AS is_new, CASE
                WHEN p.id IS NOT NULL OR g.id = ANY (used)
                    OR EXISTS (SELECT FROM job j WHERE j.id = g.id)
                    OR given_ids AND EXISTS (SELECT FROM dead_letter d WHERE d.id = g.id)
                    OR given_ids AND EXISTS (SELECT FROM job_history h WHERE h.id = g.id) THEN g.id
                -- An old snapshot also shows a job that had the key before.
                ELSE coalesce(
                    (SELECT j.id FROM job j WHERE j.type = g.type AND j.unique_key = g.unique_key
                        ORDER BY j.created_at DESC LIMIT 1),
                    (SELECT t.job_id FROM taken_key t
                        WHERE t.type = g.type AND t.key = g.unique_key AND t.until > clock)) END AS id
            FROM unnest(ids, types, unique_keys, on_conflicts) WITH ORDINALITY AS g (id, type, unique_key, mode, i)
                LEFT JOIN unnest(published) AS p (id) ON p.id = g.id) AS a;
        EXIT WHEN array_position(answer, NULL) IS NULL;
        -- The job that held a key has left: give up our own by a rollback, or the order is lost, and try again.
        RAISE EXCEPTION 'a unique key became free' USING ERRCODE = 'JQ001';
    EXCEPTION WHEN SQLSTATE 'JQ001' THEN
        NULL;
    END; END LOOP;

    woken := internal_put_new(published || moved, entered, clock, EXISTS (
        SELECT FROM job j WHERE j.id = ANY (published || moved) AND j.line IS NOT NULL));
END
$$;

-- -> PENDING or WAITING, or SCHEDULED, by their time: jobs that were just inserted, or withdrawn from where they stood.
-- limited: whether any has limits. Returns their queues, '' for those due later.
CREATE OR REPLACE FUNCTION internal_put_new(published uuid[], entered int, clock timestamptz, limited boolean)
RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO ready (epoch, hash, rank, run_at, id, type, size)
    SELECT entered, hashtextextended(j.queue, 0), ~j.priority, j.run_at, j.id, j.type,
        octet_length(j.payload::text) + coalesce(octet_length(j.headers::text), 0)
            + CASE WHEN j.steps > 0 THEN internal_bytes_of_steps(j.id) ELSE 0 END
    FROM job j WHERE j.id = ANY (published) AND j.run_at <= clock AND j.line IS NULL;
    IF limited THEN
        PERFORM internal_wait(ARRAY(SELECT j.id FROM job j
            WHERE j.id = ANY (published) AND j.run_at <= clock AND j.line IS NOT NULL), entered);
    END IF;
    INSERT INTO scheduled (epoch, hash, rank, run_at, id, type, size, line)
    SELECT entered, hashtextextended(j.queue, 0), ~j.priority, j.run_at, j.id, j.type,
        octet_length(j.payload::text) + coalesce(octet_length(j.headers::text), 0)
            + CASE WHEN j.steps > 0 THEN internal_bytes_of_steps(j.id) ELSE 0 END, j.line
    FROM job j WHERE j.id = ANY (published) AND j.run_at > clock;
    RETURN ARRAY(SELECT DISTINCT CASE WHEN j.run_at <= clock THEN j.queue ELSE '' END
        FROM job j WHERE j.id = ANY (published));
END
$$;

REVOKE ALL ON FUNCTION internal_put_new(uuid[], int, timestamptz, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_publish_once(int, timestamptz, uuid[], text[], json[], text[], int[], timestamptz[],
    bigint[], int[], bigint[], text[], jsonb[], boolean, bigint[], text[], bigint[], limited[]) FROM PUBLIC;
