-- One page of the jobs in a state, perhaps only of a queue or type. A last row without an id says where to go on: give
-- its cursor as "after"; without such a row there is no more.
-- A page looks at no more than 10,000 rows, so it takes milliseconds whatever the filter: then it holds fewer than
-- asked for, or none, and a cursor. The order is that of an index: PENDING as claimed and SCHEDULED as due, queue by
-- queue; RUNNING and DEAD by time, the dead newest first; COMPLETED and CANCELLED by id, newest first.
CREATE OR REPLACE FUNCTION find_jobs(
    of_state text, of_queue text DEFAULT NULL, of_type text DEFAULT NULL, after text DEFAULT NULL, max int DEFAULT 50
) RETURNS TABLE (
    id uuid, queue text, type text, state text, priority int, run_at timestamptz, created_at timestamptz, attempt int,
    max_attempts int, worker_id uuid, claimed_at timestamptz, finished_at timestamptz, percent smallint, stage text,
    error text, cursor text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    budget int := 10000;
    place record;
    source record;
    met record;
    ids uuid[] := '{}';
BEGIN
    IF (find_jobs.max BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', find_jobs.max::text, 'must be between 1 and 1000');
    END IF;
    SELECT * INTO place FROM internal_place(after);
    SELECT * INTO source FROM internal_source(of_state, of_queue, of_type, after IS NOT NULL);

    <<walk>>
    FOR met IN EXECUTE format(
            'SELECT id, queue, type, state, priority, at FROM (%s) AS s WHERE %s ORDER BY %s LIMIT %s',
            source.walked, source.condition, source.ordering, budget)
        USING of_queue, of_type, place.queue, place.priority, place.at, place.id
    LOOP
        budget := budget - 1;
        IF met.state = of_state AND (of_queue IS NULL OR source.has_queue OR met.queue = of_queue)
                AND met.type = coalesce(of_type, met.type) THEN
            ids := ids || met.id;
        END IF;
        EXIT walk WHEN budget = 0 OR cardinality(ids) = find_jobs.max;
    END LOOP;

    RETURN QUERY EXECUTE format('SELECT id, queue, type, %s, priority, run_at, created_at, attempt,
            internal_max_attempts(type, max_attempts), worker_id, claimed_at, %s, %s,
            left(split_part(errors -> -1 ->> ''error'', E''\n'', 1), 300), NULL::text
        FROM unnest($1) WITH ORDINALITY AS found (id, number) JOIN %s AS source USING (id) ORDER BY number',
        source.state, source.finished, source.progress, source.relation) USING ids;
    IF budget = 0 OR cardinality(ids) = find_jobs.max THEN
        cursor := json_build_array(met.queue, met.priority, met.at, met.id);
        RETURN NEXT;
    END IF;
END
$$;

-- Where a page begins: ["queue", priority, "time", "id"] of the last row looked at before it.
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

-- How find_jobs walks: what it goes over, from where and in which order, and where the rest of a job stands. In ready
-- and scheduled a queue is the hash of its name; has_queue says that only the wanted one is met. $1 queue, $2 type; $3
-- queue, $4 priority, $5 time, $6 id of the place.
CREATE OR REPLACE FUNCTION internal_source(
    wanted text, queue text, type text, going_on boolean, OUT walked text, OUT condition text, OUT ordering text,
    OUT has_queue boolean, OUT relation text, OUT state text, OUT finished text, OUT progress text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    epochs constant int[] := internal_epochs();
BEGIN
    relation := '(SELECT *, NULL::uuid AS worker_id, NULL::timestamptz AS claimed_at FROM job)';
    state := quote_literal(wanted);
    finished := 'NULL::timestamptz';
    progress := 'percent, stage';
    has_queue := queue IS NOT NULL AND wanted IN ('PENDING', 'SCHEDULED');
    condition := 'true';
    CASE wanted
        WHEN 'PENDING' THEN
            walked := (SELECT string_agg(format('SELECT id, hash, hash::text AS queue, type, ''PENDING'' AS state, rank,
                ~rank AS priority, run_at AS at FROM ready WHERE epoch = %s', e), ' UNION ALL ')
                FROM unnest(epochs) AS e);
            ordering := 'hash, rank, at, id';
            IF going_on THEN
                condition := CASE WHEN has_queue THEN '(rank, at, id) > (~$4, $5, $6)'
                    ELSE '(hash, rank, at, id) > ($3::bigint, ~$4, $5, $6)' END;
            END IF;
        WHEN 'SCHEDULED' THEN
            walked := 'SELECT id, hash, hash::text AS queue, type, ''SCHEDULED'' AS state, ~rank AS priority,
                run_at AS at FROM scheduled';
            ordering := 'hash, at, id';
            IF going_on THEN
                condition := CASE WHEN has_queue THEN '(at, id) > ($5, $6)'
                    ELSE '(hash, at, id) > ($3::bigint, $5, $6)' END;
            END IF;
        WHEN 'RUNNING' THEN
            relation := 'live_job';
            walked := 'SELECT j.id, j.queue, j.type, ''RUNNING'' AS state, j.priority, l.claimed_at AS at
                FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                    JOIN job j ON j.id = h.id AND j.version = h.version';
            ordering := 'at, id';
            IF going_on THEN
                condition := '(at, id) > ($5, $6)';
            END IF;
        WHEN 'DEAD' THEN
            relation := 'dead_letter';
            walked := 'SELECT id, queue, type, ''DEAD'' AS state, priority, died_at AS at FROM dead_letter';
            finished := 'died_at';
            ordering := 'at DESC, id DESC';
            IF going_on THEN
                condition := '(at, id) < ($5, $6)';
            END IF;
        WHEN 'COMPLETED', 'CANCELLED' THEN
            relation := 'job_history';
            walked := 'SELECT id, queue, type, state, priority, finished_at AS at FROM job_history';
            finished := 'finished_at';
            ordering := 'id DESC';
            IF going_on THEN
                condition := 'id < $6';
            END IF;
        ELSE
            PERFORM internal_invalid('state', wanted, format('must be one of %s',
                (SELECT string_agg(s.state, ', ' ORDER BY s.state) FROM job_state s)));
    END CASE;
    IF wanted IN ('DEAD', 'COMPLETED', 'CANCELLED') THEN
        progress := 'NULL::smallint, NULL::text';
    END IF;
    -- Where an index begins with it; find_jobs compares the rest itself, within its budget.
    IF has_queue THEN
        condition := 'hash = hashtextextended($1, 0) AND ' || condition;
    ELSIF wanted = 'DEAD' AND queue IS NOT NULL THEN
        condition := 'queue = $1 AND ' || condition;
    ELSIF wanted = 'DEAD' AND type IS NOT NULL THEN
        condition := 'type = $2 AND ' || condition;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION find_jobs(text, text, text, text, int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_place(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_source(text, text, text, boolean) FROM PUBLIC;
