-- One page of the jobs that match a filter: an object with state, queue, type, unique_key, error_like, since, before,
-- flow, and fingerprint (of dead ones, see dead_groups), of which only the state must be given. A last row without an
-- id says where to go on: give its cursor as "after"; without such a row there is no more. A page looks at no more than
-- 10,000 rows (2,000 with error_like), so it takes milliseconds whatever the filter: then it holds fewer than asked
-- for, or none, and a cursor. WAITING of a flow has its steps that have no job yet. The order is that of an index:
-- PENDING as claimed, SCHEDULED and WAITING as due, queue by queue; RUNNING and DEAD by time, the dead newest first;
-- COMPLETED and CANCELLED by id, newest first; live jobs with a unique key or of a flow by id.
CREATE OR REPLACE FUNCTION find_jobs(filter jsonb, after text DEFAULT NULL, max int DEFAULT 50) RETURNS TABLE (
    id uuid, queue text, type text, state text, priority int, run_at timestamptz, created_at timestamptz, attempt int,
    max_attempts int, worker_id uuid, claimed_at timestamptz, finished_at timestamptz, percent smallint, stage text,
    error text, cursor text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    page record;
    columns text := 'percent, stage, NULL::timestamptz';
    relation text;
BEGIN
    PERFORM internal_check_filter(filter);
    IF (find_jobs.max BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', find_jobs.max::text, 'must be between 1 and 1000');
    END IF;
    SELECT * INTO page FROM internal_walk(filter, after, find_jobs.max);
    CASE filter ->> 'state'
        WHEN 'PENDING', 'SCHEDULED', 'WAITING' THEN
            relation := '(SELECT id, queue, type, priority, run_at, created_at, attempt, max_attempts, errors, percent,
                stage, NULL::uuid AS worker_id, NULL::timestamptz AS claimed_at FROM job';
            IF filter ->> 'flow' IS NOT NULL THEN
                relation := relation || ' UNION ALL SELECT s.job_id, coalesce(s.spec ->> ''queue'', ''default''),
                    coalesce(s.spec ->> ''type'', s.kind), coalesce((s.spec ->> ''priority'')::int, 0),
                    coalesce(s.freed_at, f.created_at), f.created_at, 0, (s.spec ->> ''max_attempts'')::int, NULL, NULL,
                    NULL, NULL, NULL FROM flow_step s JOIN flow f ON f.id = s.flow
                    WHERE s.state = ''BLOCKED'' OR s.state = ''FREE'' AND s.kind <> ''job''';
            END IF;
            relation := relation || ')';
        WHEN 'RUNNING' THEN
            relation := 'live_job';
        WHEN 'DEAD' THEN
            relation := 'dead_letter';
            columns := 'NULL::smallint, NULL, died_at';
        ELSE
            relation := 'job_history';
            columns := 'NULL::smallint, NULL, finished_at';
    END CASE;
    RETURN QUERY EXECUTE format('SELECT f.id, f.queue, f.type, $2, f.priority, f.run_at, f.created_at, f.attempt,
            internal_max_attempts(f.type, f.max_attempts), f.worker_id, f.claimed_at, f.finished, f.percent, f.stage,
            left(split_part(f.errors -> -1 ->> ''error'', E''\n'', 1), 300), NULL::text
        FROM (SELECT source.id, queue, type, priority, run_at, created_at, attempt, max_attempts, worker_id,
                claimed_at, errors, %s, number
            FROM unnest($1) WITH ORDINALITY AS found (id, number) JOIN %s AS source USING (id)
        ) AS f (id, queue, type, priority, run_at, created_at, attempt, max_attempts, worker_id, claimed_at, errors,
            percent, stage, finished, number)
        ORDER BY f.number', columns, relation) USING page.ids, filter ->> 'state';
    IF page.cursor IS NOT NULL THEN
        cursor := page.cursor;
        RETURN NEXT;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION find_jobs(jsonb, text, int) FROM PUBLIC;
