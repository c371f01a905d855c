-- RUNNING -> SCHEDULED with backoff, or DEAD when no attempt is left or none is wanted (CANCELLED where it was asked).
-- One row per pair given, in that order; state NULL means refused: not running under that lease. run_at is when the next
-- attempt is due, NULL if there is none.
CREATE OR REPLACE FUNCTION fail_many(ids uuid[], leases bigint[], errors text[], retries boolean[] DEFAULT NULL)
RETURNS TABLE (id uuid, state text, run_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz;
    -- By job found running: its number in the input, what becomes of it, its error, why it died.
    numbers int[];
    outcomes text[];
    found uuid[];
    messages text[];
    reasons text[];
    answer text[];
BEGIN
    PERFORM internal_check_pairs(ids, 'leases', cardinality(leases));
    PERFORM internal_check_pairs(ids, 'errors', cardinality(fail_many.errors));
    IF retries IS NOT NULL THEN
        PERFORM internal_check_pairs(ids, 'retries', cardinality(retries));
    END IF;
    PERFORM internal_lock(ids, leases);
    clock := clock_timestamp();

    SELECT array_agg(i), array_agg(job.id), array_agg(coalesce(left(g.error, 20000), 'no error message was given')),
        array_agg(CASE WHEN cancel_requested_at IS NOT NULL THEN 'CANCELLED'
            WHEN attempt < max_attempts AND g.retry IS NOT FALSE THEN 'SCHEDULED' ELSE 'DEAD' END),
        array_agg(CASE WHEN attempt < max_attempts THEN format('no retry wanted after attempt %s', attempt)
            ELSE format('attempt %s of %s failed', attempt, max_attempts) END)
    INTO numbers, found, messages, outcomes, reasons
    -- Of an id given twice, the first counts.
    FROM (SELECT DISTINCT ON (g.id, g.lease) *
            FROM unnest(ids, leases, fail_many.errors, retries) WITH ORDINALITY AS g (id, lease, error, retry, i)
            ORDER BY g.id, g.lease, g.i) AS g
        JOIN job ON job.id = g.id AND job.lease = g.lease;

    IF 'SCHEDULED' = ANY (outcomes) THEN
        -- In seconds, and the power bounded: a late attempt must not overflow an interval.
        UPDATE job SET state = 'SCHEDULED', lease = NULL, worker_id = NULL, claimed_at = NULL, timeout_at = NULL,
            run_at = clock + make_interval(secs => g.delay),
            errors = internal_add_error(job.errors, attempt, clock, g.error), interrupted = NULL
        FROM (SELECT f.id, f.error, (1 - coalesce(p.jitter, 0.1) * random()) * least(
                    extract(epoch FROM coalesce(p.base, '1 minute'))
                        * power(coalesce(p.factor, 2), least(j.attempt - 1, 100)),
                    extract(epoch FROM coalesce(p.maximum, '1 hour'))) AS delay
                FROM unnest(found, messages, outcomes) AS f (id, error, outcome)
                JOIN job j ON j.id = f.id
                LEFT JOIN retry_policy p ON p.type = j.type
                WHERE f.outcome = 'SCHEDULED') AS g
        WHERE job.id = g.id;
    END IF;
    IF 'DEAD' = ANY (outcomes) THEN
        PERFORM internal_bury(array_agg(f.id), array_agg(f.error), array_agg(f.reason))
        FROM unnest(found, messages, reasons, outcomes) AS f (id, error, reason, outcome) WHERE f.outcome = 'DEAD';
    END IF;
    IF 'CANCELLED' = ANY (outcomes) THEN
        PERFORM internal_cancel(array_agg(f.id))
        FROM unnest(found, outcomes) AS f (id, outcome) WHERE f.outcome = 'CANCELLED';
    END IF;

    -- The promoter sleeps until the next due time it knows of.
    IF 'SCHEDULED' = ANY (outcomes) THEN
        PERFORM pg_notify(current_schema(), '');
    END IF;
    FOR n IN 1 .. coalesce(cardinality(numbers), 0) LOOP
        answer[numbers[n]] := outcomes[n];
    END LOOP;
    RETURN QUERY
    SELECT g.id, answer[g.i], CASE answer[g.i] WHEN 'SCHEDULED' THEN (SELECT j.run_at FROM job j WHERE j.id = g.id) END
    FROM unnest(ids) WITH ORDINALITY AS g (id, i);
END
$$;

REVOKE ALL ON FUNCTION fail_many(uuid[], bigint[], text[], boolean[]) FROM PUBLIC;
