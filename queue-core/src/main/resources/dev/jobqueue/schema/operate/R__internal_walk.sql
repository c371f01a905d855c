-- Walks over the jobs of a state in the order of an index and collects the ids of those that match a filter. Looks at
-- no more rows than its budget, or a fifth of it if it has to read errors, which are long and mostly stored apart, and
-- stops after max matches. The cursor is where to go on; NULL if there is no more. further: a condition of the caller
-- on a row s of internal_source, with $12 as its value.
CREATE OR REPLACE FUNCTION internal_walk(
    filter jsonb, after text, max int, oldest_first boolean DEFAULT false, budget int DEFAULT 10000,
    further text DEFAULT NULL, value text DEFAULT NULL, OUT ids uuid[], OUT cursor text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    place record;
    source record;
    met record;
BEGIN
    ids := '{}';
    SELECT * INTO place FROM internal_place(after);
    SELECT * INTO source FROM internal_source(filter, after IS NOT NULL, oldest_first);
    IF filter ->> 'error_like' IS NOT NULL THEN
        budget := budget / 5;
    END IF;
    <<walk>>
    FOR met IN EXECUTE format(
            'SELECT s.id, s.queue, s.priority, s.at, %s AS matches FROM (%s) AS s WHERE %s ORDER BY %s LIMIT %s',
            concat_ws(' AND ', source.matching, further), source.walked, source.condition, source.ordering, budget)
        USING filter ->> 'queue', filter ->> 'type', place.queue, place.priority, place.at, place.id,
            filter ->> 'unique_key', filter ->> 'error_like', (filter ->> 'since')::timestamptz,
            (filter ->> 'before')::timestamptz, filter ->> 'state', value, filter ->> 'fingerprint',
            (filter ->> 'flow')::uuid
    LOOP
        budget := budget - 1;
        IF met.matches THEN
            ids := ids || met.id;
        END IF;
        IF budget = 0 OR cardinality(ids) = internal_walk.max THEN
            cursor := json_build_array(met.queue, met.priority, met.at, met.id);
            EXIT walk;
        END IF;
    END LOOP;
END
$$;

-- Where a walk goes on: ["queue", priority, "time", "id"] of the last row looked at before it.
CREATE OR REPLACE FUNCTION internal_place(
    cursor text, OUT queue text, OUT priority int, OUT at timestamptz, OUT id uuid
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    SELECT p ->> 0, (p ->> 1)::int, (p ->> 2)::timestamptz, (p ->> 3)::uuid INTO queue, priority, at, id
    FROM (SELECT internal_place.cursor::jsonb) AS c (p);
    IF cursor IS NOT NULL AND (queue, priority, at, id) IS NOT NULL IS NOT TRUE THEN
        PERFORM internal_invalid('after', cursor, 'must be a cursor that find_jobs returned');
    END IF;
EXCEPTION WHEN data_exception THEN
    PERFORM internal_invalid('after', cursor, 'must be a cursor that find_jobs returned');
END
$$;

-- What a walk goes over, from where, in which order, and what it compares. The condition holds only what an index is
-- entered with; all else is compared row by row, so that the budget counts the rows that were looked at. In ready,
-- scheduled and waiting a queue is the hash of its name. $1 queue, $2 type, $7 key, $8 error, $9 since, $10 before,
-- $11 state, $13 fingerprint, $14 flow; $3 to $6 are queue, priority, time and id of the place.
CREATE OR REPLACE FUNCTION internal_source(
    filter jsonb, going_on boolean, oldest_first boolean,
    OUT walked text, OUT condition text, OUT ordering text, OUT matching text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    wanted constant text := filter ->> 'state';
    waits constant boolean := wanted IN ('PENDING', 'SCHEDULED', 'WAITING');
    by_time constant boolean := wanted IN ('SCHEDULED', 'WAITING');
    by_queue constant boolean := filter ->> 'queue' IS NOT NULL;
    error text := 's.errors -> -1 ->> ''error''';
    compares_state boolean := wanted IN ('COMPLETED', 'CANCELLED');
    compares_queue boolean := by_queue;
BEGIN
    condition := 'true';
    IF wanted IN ('PENDING', 'SCHEDULED', 'WAITING', 'RUNNING')
            AND coalesce(filter ->> 'flow', filter ->> 'unique_key') IS NOT NULL THEN
        walked := CASE WHEN filter ->> 'flow' IS NOT NULL THEN internal_of_flow(wanted)
            ELSE internal_keyed(filter ->> 'type' IS NOT NULL) END;
        ordering := 'id';
        compares_state := true;
        IF going_on THEN
            condition := 'id > $6';
        END IF;
    ELSIF waits THEN
        walked := CASE WHEN by_time THEN format('SELECT id, hash, hash::text AS queue, type, rank, ~rank AS priority,
                run_at AS at FROM %I', lower(wanted))
            ELSE (SELECT string_agg(format('SELECT id, hash, hash::text AS queue, type, rank, ~rank AS priority,
                run_at AS at FROM ready WHERE epoch = %s', e), ' UNION ALL ') FROM unnest(internal_epochs()) AS e) END;
        ordering := CASE WHEN by_time THEN 'hash, at, id' ELSE 'hash, rank, at, id' END;
        IF going_on THEN
            condition := CASE WHEN by_time AND by_queue THEN '(at, id) > ($5, $6)'
                WHEN by_time THEN '(hash, at, id) > ($3::bigint, $5, $6)'
                WHEN by_queue THEN '(rank, at, id) > (~$4, $5, $6)'
                ELSE '(hash, rank, at, id) > ($3::bigint, ~$4, $5, $6)' END;
        END IF;
        IF by_queue THEN
            condition := 'hash = hashtextextended($1, 0) AND ' || condition;
            compares_queue := false;
        END IF;
        error := '(SELECT j.errors -> -1 ->> ''error'' FROM job j WHERE j.id = s.id)';
    ELSIF wanted = 'RUNNING' THEN
        walked := 'SELECT j.id, j.queue, j.type, j.priority, l.claimed_at AS at, j.errors, j.cancel_requested_at
            FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                JOIN job j ON j.id = h.id AND j.version = h.version';
        ordering := 'at, id';
        IF going_on THEN
            condition := '(at, id) > ($5, $6)';
        END IF;
    ELSIF wanted = 'DEAD' THEN
        walked := 'SELECT id, queue, type, priority, died_at AS at, unique_key AS key, errors,
            fingerprint, flow FROM dead_letter';
        ordering := CASE WHEN oldest_first THEN 'at, id' ELSE 'at DESC, id DESC' END;
        IF going_on THEN
            condition := CASE WHEN oldest_first THEN '(at, id) > ($5, $6)' ELSE '(at, id) < ($5, $6)' END;
        END IF;
        condition := concat_ws(' AND ', CASE WHEN filter ->> 'flow' IS NOT NULL THEN 'flow = $14'
                WHEN filter ->> 'fingerprint' IS NOT NULL THEN 'fingerprint = $13'
                WHEN filter ->> 'type' IS NOT NULL THEN 'type = $2'
                WHEN by_queue THEN 'queue = $1' END,
            CASE WHEN filter ->> 'since' IS NOT NULL THEN 'at >= $9' END,
            CASE WHEN filter ->> 'before' IS NOT NULL THEN 'at < $10' END, condition);
    ELSE
        walked := internal_history((filter ->> 'since')::timestamptz, (filter ->> 'before')::timestamptz);
        ordering := 'id DESC';
        IF going_on THEN
            condition := 'id < $6';
        END IF;
    END IF;
    matching := concat_ws(' AND ', 'true', CASE WHEN compares_state THEN 's.state = $11' END,
        CASE WHEN compares_queue THEN 's.queue = $1' END,
        CASE WHEN filter ->> 'type' IS NOT NULL THEN 's.type = $2' END,
        CASE WHEN filter ->> 'unique_key' IS NOT NULL THEN 's.key = $7' END,
        CASE WHEN filter ->> 'flow' IS NOT NULL THEN 's.flow = $14' END,
        CASE WHEN filter ->> 'fingerprint' IS NOT NULL THEN 's.fingerprint = $13' END,
        CASE WHEN filter ->> 'since' IS NOT NULL THEN 's.at >= $9' END,
        CASE WHEN filter ->> 'before' IS NOT NULL THEN 's.at < $10' END,
        CASE WHEN filter ->> 'error_like' IS NOT NULL THEN error || ' LIKE $8' END);
END
$$;

-- The live jobs with the unique key $7: of the type $2, or one for each type, from type to type in the index.
CREATE OR REPLACE FUNCTION internal_keyed(of_one_type boolean) RETURNS text
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT format('SELECT l.id, l.queue, l.type, l.state, l.priority, l.unique_key AS key, l.errors,
            l.cancel_requested_at, CASE l.state WHEN ''RUNNING'' THEN l.claimed_at ELSE l.run_at END AS at
        FROM (%s) AS t CROSS JOIN LATERAL (
                SELECT j.id FROM job j WHERE j.type = t.type AND j.unique_key = $7 OFFSET 0) AS k
            CROSS JOIN LATERAL (SELECT * FROM live_job l WHERE l.id = k.id OFFSET 0) AS l',
        CASE WHEN of_one_type THEN 'SELECT $2 AS type' ELSE 'WITH RECURSIVE known (type) AS (
                (SELECT j.type FROM job j WHERE j.unique_key IS NOT NULL ORDER BY j.type LIMIT 1)
                UNION ALL
                SELECT (SELECT j.type FROM job j WHERE j.unique_key IS NOT NULL AND j.type > known.type
                    ORDER BY j.type LIMIT 1) FROM known WHERE known.type IS NOT NULL)
            SELECT type FROM known WHERE type IS NOT NULL' END)
$$;

-- The live jobs of the flow $14, by id: state is that which is wanted, or NULL. For WAITING, also its steps that have
-- no job.
CREATE OR REPLACE FUNCTION internal_of_flow(wanted text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT format('SELECT j.id, j.queue, j.type, j.priority, j.run_at AS at, j.unique_key AS key, j.errors,
            j.cancel_requested_at, j.flow, CASE WHEN %s THEN %L END AS state FROM job j WHERE j.flow = $14',
        CASE wanted WHEN 'RUNNING' THEN '(j.id, j.version) IN (SELECT h.id, h.version
                FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version))'
            WHEN 'PENDING' THEN format('EXISTS (SELECT FROM ready r WHERE r.epoch = ANY (%L) AND r.rank = ~j.priority
                AND r.hash = hashtextextended(j.queue, 0) AND r.run_at = j.run_at AND r.id = j.id)', internal_epochs())
            ELSE format('EXISTS (SELECT FROM %I p WHERE p.hash = hashtextextended(j.queue, 0) AND p.run_at = j.run_at
                AND p.id = j.id)', lower(wanted)) END, wanted)
        || CASE WHEN wanted = 'WAITING' THEN ' UNION ALL SELECT s.job_id, coalesce(s.spec ->> ''queue'', ''default''),
            coalesce(s.spec ->> ''type'', s.kind), coalesce((s.spec ->> ''priority'')::int, 0), f.created_at,
            NULL, NULL, NULL, s.flow, ''WAITING'' FROM flow_step s JOIN flow f ON f.id = s.flow WHERE s.flow = $14
                AND (s.state = ''BLOCKED'' OR s.state = ''FREE'' AND s.kind <> ''job'')' ELSE '' END
$$;

-- The days of the history between two moments, day by day, so that no other is walked over. A condition on finished_at
-- would have rows that do not match passed over without being counted. The lock keeps prune from dropping a day that is
-- named here.
CREATE OR REPLACE FUNCTION internal_history(since timestamptz, before timestamptz) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    days text[] := '{job_history}';
BEGIN
    IF since IS NOT NULL OR before IS NOT NULL THEN
        LOCK TABLE job_history IN ACCESS SHARE MODE;
        days := ARRAY(SELECT p.name FROM (
                SELECT c.relname AS name, CASE WHEN c.relname ~ E'^job_history_\\d{8}$'
                    THEN to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' END AS starts
                FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'job_history'::regclass) AS p
            WHERE p.starts IS NULL OR ((p.starts < before) IS NOT FALSE
                AND (p.starts + interval '24 hours' > since) IS NOT FALSE));
    END IF;
    RETURN (SELECT string_agg(format('SELECT id, queue, type, state, priority, finished_at AS at, unique_key AS key,
        errors, flow FROM %I', d), ' UNION ALL ') FROM unnest(days) AS d);
END
$$;

REVOKE ALL ON FUNCTION internal_walk(jsonb, text, int, boolean, int, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_place(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_source(jsonb, boolean, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_keyed(boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_of_flow(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_history(timestamptz, timestamptz) FROM PUBLIC;
