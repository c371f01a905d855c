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
    condition text;
    met record;
    ids uuid[] := '{}';
BEGIN
    IF (find_jobs.max BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', find_jobs.max::text, 'must be between 1 and 1000');
    END IF;
    SELECT * INTO place FROM internal_place(after);
    SELECT * INTO source FROM internal_source(of_state, of_queue, of_type, after IS NOT NULL);

    <<walk>>
    FOREACH condition IN ARRAY source.conditions LOOP
        FOR met IN EXECUTE format('SELECT id, queue, type, %s AS state, priority, %s AS at FROM %s WHERE %s ORDER BY %s LIMIT %s',
                source.state, source.moment, source.relation, condition, source.ordering, budget)
            USING of_queue, of_type, place.queue, place.priority, place.at, place.id
        LOOP
            budget := budget - 1;
            IF met.state = of_state AND met.queue = coalesce(of_queue, met.queue)
                    AND met.type = coalesce(of_type, met.type) THEN
                ids := ids || met.id;
            END IF;
            EXIT walk WHEN budget = 0 OR cardinality(ids) = find_jobs.max;
        END LOOP;
    END LOOP;

    RETURN QUERY EXECUTE format('SELECT id, queue, type, %s, priority, run_at, created_at, attempt,
            coalesce(max_attempts, (SELECT p.max_attempts FROM retry_policy p WHERE p.type = source.type), 3), worker_id, claimed_at, %s, %s, left(split_part(errors -> -1 ->> ''error'', E''\n'', 1), 300), NULL::text
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

-- How find_jobs walks: table, order, and the stretches of the index that lie behind the place.
-- $1 queue, $2 type; $3 queue, $4 priority, $5 time, $6 id of the place.
CREATE OR REPLACE FUNCTION internal_source(
    wanted text, queue text, type text, going_on boolean, OUT relation text, OUT conditions text[], OUT ordering text,
    OUT state text, OUT moment text, OUT finished text, OUT progress text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    state := 'state::text';
    finished := 'NULL::timestamptz';
    progress := 'percent, stage';
    relation := 'job';
    CASE wanted
        WHEN 'PENDING' THEN
            moment := 'run_at';
            ordering := 'hashtextextended(queue, 0), priority DESC, run_at, id';
            conditions := CASE WHEN NOT going_on THEN ARRAY['true'] ELSE ARRAY[
                'hashtextextended(queue, 0) = hashtextextended($3, 0) AND priority = $4 AND (run_at, id) > ($5, $6)',
                'hashtextextended(queue, 0) = hashtextextended($3, 0) AND priority < $4',
                'hashtextextended(queue, 0) > hashtextextended($3, 0)'] END;
        WHEN 'SCHEDULED' THEN
            moment := 'run_at';
            ordering := 'queue, run_at, id';
            -- With a queue, its name must not stand in the row: the scan would begin at the queue's first entry.
            conditions := ARRAY[CASE WHEN NOT going_on THEN 'true'
                WHEN queue IS NOT NULL THEN '(run_at, id) > ($5, $6)' ELSE '(queue, run_at, id) > ($3, $5, $6)' END];
        WHEN 'RUNNING' THEN
            moment := 'claimed_at';
            ordering := 'claimed_at, id';
            conditions := ARRAY[CASE WHEN going_on THEN '(claimed_at, id) > ($5, $6) AND ' ELSE '' END
                || 'worker_id IS NOT NULL'];
        WHEN 'DEAD' THEN
            relation := 'dead_letter';
            state := '''DEAD''';
            moment := 'died_at';
            finished := 'died_at';
            ordering := 'died_at DESC, id DESC';
            conditions := ARRAY[CASE WHEN going_on THEN '(died_at, id) < ($5, $6)' ELSE 'true' END];
        WHEN 'COMPLETED', 'CANCELLED' THEN
            relation := 'job_history';
            moment := 'finished_at';
            finished := 'finished_at';
            ordering := 'id DESC';
            conditions := ARRAY[CASE WHEN going_on THEN 'id < $6' ELSE 'true' END];
        ELSE
            PERFORM internal_invalid('state', wanted, format('must be one of %s',
                (SELECT string_agg(s.state, ', ' ORDER BY s.state) FROM job_state s)));
    END CASE;
    IF relation <> 'job' THEN
        progress := 'NULL::smallint, NULL::text';
    ELSE
        conditions := ARRAY(SELECT format('state = %L AND %s', wanted, c) FROM unnest(conditions) AS c);
    END IF;
    -- Where an index begins with it; find_jobs compares the rest itself, within its budget.
    IF queue IS NOT NULL AND relation <> 'job_history' AND wanted <> 'RUNNING' THEN
        conditions := ARRAY(SELECT 'queue = $1 AND ' || c FROM unnest(conditions) AS c);
        IF wanted = 'PENDING' THEN
            conditions := ARRAY(SELECT 'hashtextextended(queue, 0) = hashtextextended($1, 0) AND ' || c
                FROM unnest(conditions) AS c);
        END IF;
    ELSIF type IS NOT NULL AND relation = 'dead_letter' THEN
        conditions := ARRAY(SELECT 'type = $2 AND ' || c FROM unnest(conditions) AS c);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION find_jobs(text, text, text, text, int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_place(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_source(text, text, text, boolean) FROM PUBLIC;
