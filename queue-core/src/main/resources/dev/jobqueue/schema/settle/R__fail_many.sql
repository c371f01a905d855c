-- RUNNING -> SCHEDULED with backoff, or DEAD when no attempt is left or none is wanted (CANCELLED where it was asked,
-- or instead of SCHEDULED where a newer job has taken the unique key). One row per pair given, in that order; state
-- NULL means refused: not running under that lease. run_at is when the next attempt is due, NULL if there is none.
CREATE OR REPLACE FUNCTION fail_many(ids uuid[], leases bigint[], errors text[], retries boolean[] DEFAULT NULL)
RETURNS TABLE (id uuid, state text, run_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz;
    held record;
    -- By job found running: its place in the input, lease, error, what becomes of it and why.
    found record;
    answer text[];
    lined limited[];
BEGIN
    PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    PERFORM internal_check_pairs(ids, 'errors', cardinality(fail_many.errors));
    IF retries IS NOT NULL THEN
        PERFORM internal_check_pairs(ids, 'retries', cardinality(retries));
    END IF;
    clock := clock_timestamp();

    SELECT array_agg(l.i) AS places, array_agg(l.id) AS ids, array_agg(l.number) AS numbers
    INTO held FROM internal_lock(fail_many.ids, leases) AS l;
    -- Another statement, which sees what others have written while this call waited for their locks.
    SELECT array_agg(f.i) AS places, array_agg(f.id) AS ids, array_agg(f.number) AS numbers,
        array_agg(f.queue) AS queues, array_agg(f.type) AS types,
        array_agg(coalesce(left(fail_many.errors[f.i], 20000), 'no error message was given')) AS errors,
        array_agg(CASE WHEN f.cancel_requested_at IS NOT NULL THEN 'CANCELLED'
            WHEN f.attempt < f.most AND retries[f.i] IS NOT FALSE
                THEN CASE WHEN f.superseded_by IS NULL THEN 'SCHEDULED' ELSE 'CANCELLED' END
            ELSE 'DEAD' END) AS outcomes,
        array_agg(CASE WHEN f.attempt < f.most THEN format('no retry wanted after attempt %s', f.attempt)
            ELSE format('attempt %s of %s failed', f.attempt, f.most) END) AS reasons
    INTO found FROM (
        SELECT l.i, l.id, l.number, j.queue, j.type, j.cancel_requested_at, j.superseded_by, j.attempt + 1 AS attempt,
            internal_max_attempts(j.type, j.max_attempts) AS most
        FROM unnest(held.places, held.ids, held.numbers) AS l (i, id, number)
            CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = l.id OFFSET 0) AS j) AS f;

    IF 'SCHEDULED' = ANY (found.outcomes) THEN
        WITH again AS (
            UPDATE job SET version = version + 1, attempt = attempt + 1, timeout_at = NULL, spared = NULL,
                run_at = clock + make_interval(secs => internal_delay(type, attempt + 1)),
                errors = internal_add_error(job.errors, attempt + 1, clock, f.error)
            FROM unnest(found.ids, found.errors, found.outcomes) AS f (id, error, outcome)
            WHERE job.id = ANY (found.ids) AND job.id = f.id AND f.outcome = 'SCHEDULED'
            RETURNING job.*)
        SELECT array_agg((id, queue, type, limits, limit_keys, gates, line, seq)::limited)
            FILTER (WHERE line IS NOT NULL)
        INTO lined FROM again;
        IF lined IS NOT NULL THEN
            PERFORM internal_leave(lined, 'ALL');
        END IF;
        PERFORM internal_put(array_agg(f.id), 'SCHEDULED')
        FROM unnest(found.ids, found.outcomes) AS f (id, outcome) WHERE f.outcome = 'SCHEDULED';
    END IF;
    IF 'DEAD' = ANY (found.outcomes) THEN
        PERFORM internal_bury(array_agg(f.id), array_agg(f.number), array_agg(f.error), array_agg(f.reason))
        FROM unnest(found.ids, found.numbers, found.errors, found.reasons, found.outcomes)
            AS f (id, number, error, reason, outcome) WHERE f.outcome = 'DEAD';
    END IF;
    IF 'CANCELLED' = ANY (found.outcomes) THEN
        -- Nobody asked for these to stop: what went wrong stays known.
        UPDATE job SET errors = internal_add_error(job.errors, attempt + 1, clock, f.error)
        FROM unnest(found.ids, found.errors, found.outcomes) AS f (id, error, outcome)
        WHERE job.id = ANY (found.ids) AND job.id = f.id AND f.outcome = 'CANCELLED' AND superseded_by IS NOT NULL;
        PERFORM internal_cancel(array_agg(f.id), array_agg(f.number))
        FROM unnest(found.ids, found.numbers, found.outcomes) AS f (id, number, outcome) WHERE f.outcome = 'CANCELLED';
    END IF;
    PERFORM internal_tidy(found.numbers);
    INSERT INTO failure (at, queue, type, attempts)
    SELECT clock, f.queue, f.type, count(*) FROM unnest(found.queues, found.types, found.outcomes)
        AS f (queue, type, outcome) WHERE f.outcome <> 'CANCELLED' GROUP BY f.queue, f.type;

    FOR n IN 1 .. coalesce(cardinality(found.places), 0) LOOP
        answer[found.places[n]] := found.outcomes[n];
    END LOOP;
    RETURN QUERY
    SELECT g.id, answer[g.i], CASE answer[g.i] WHEN 'SCHEDULED' THEN (SELECT j.run_at FROM job j WHERE j.id = g.id) END
    FROM unnest(fail_many.ids) WITH ORDINALITY AS g (id, i);
END
$$;

REVOKE ALL ON FUNCTION fail_many(uuid[], bigint[], text[], boolean[]) FROM PUBLIC;
