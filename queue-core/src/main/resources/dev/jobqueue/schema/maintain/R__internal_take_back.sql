-- RUNNING -> PENDING, or WAITING with limits, or DEAD when no attempt is left (CANCELLED where it was asked, or where a
-- newer job has taken the unique key): for rescue, which holds the rows' locks. One that had not begun loses no
-- attempt; but not for ever, because what kills a node may be a job that it just began.
CREATE OR REPLACE FUNCTION internal_take_back(ids uuid[], numbers bigint[], reasons text[], begun boolean[])
RETURNS TABLE (id uuid, queue text, type text, state text, reason text, attempt int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    lost record;
    lined limited[];
BEGIN
    SELECT array_agg(l.id) AS ids, array_agg(l.number) AS numbers, array_agg(l.reason) AS reasons,
        array_agg(l.is_spared) AS spared, array_agg(l.most) AS most, array_agg(l.outcome) AS outcomes
    INTO lost FROM (
        SELECT g.id, g.number, g.reason, s.is_spared, m.most,
            CASE WHEN j.cancel_requested_at IS NOT NULL OR j.superseded_by IS NOT NULL THEN 'CANCELLED'
            WHEN s.is_spared OR j.attempt + 1 < m.most THEN 'PENDING' ELSE 'DEAD' END AS outcome
        FROM unnest(ids, numbers, reasons, begun) AS g (id, number, reason, begun),
            LATERAL (SELECT * FROM job j WHERE j.id = g.id OFFSET 0) AS j,
            LATERAL (SELECT NOT g.begun AND coalesce(j.spared, 0) < 3) AS s (is_spared),
            LATERAL internal_max_attempts(j.type, j.max_attempts) AS m (most)) AS l;
    RETURN QUERY
    SELECT j.id, j.queue, j.type,
        CASE WHEN l.outcome = 'PENDING' AND j.line IS NOT NULL THEN 'WAITING' ELSE l.outcome END,
        l.reason, j.attempt + 1
    FROM unnest(lost.ids, lost.outcomes, lost.reasons) AS l (id, outcome, reason)
        CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = l.id OFFSET 0) AS j;

    WITH again AS (
        UPDATE job SET version = version + 1, timeout_at = NULL,
            spared = CASE WHEN l.is_spared THEN coalesce(spared, 0) + 1 ELSE spared END,
            attempt = attempt + (NOT l.is_spared)::int,
            errors = CASE WHEN l.is_spared THEN errors ELSE internal_add_error(errors, attempt + 1, clock, l.reason) END
        FROM unnest(lost.ids, lost.reasons, lost.spared, lost.outcomes) AS l (id, reason, is_spared, outcome)
        WHERE job.id = ANY (lost.ids) AND job.id = l.id AND l.outcome = 'PENDING'
        RETURNING job.*)
    SELECT array_agg((id, queue, type, limits, limit_keys, gates, line, seq)::limited) FILTER (WHERE line IS NOT NULL)
    INTO lined FROM again;
    IF lined IS NOT NULL THEN
        PERFORM internal_leave(lined, 'ALL');
    END IF;
    PERFORM internal_put(array_agg(l.id), 'PENDING')
    FROM unnest(lost.ids, lost.outcomes) AS l (id, outcome) WHERE l.outcome = 'PENDING';
    PERFORM internal_bury(array_agg(l.id), array_agg(l.number), array_agg(l.reason),
        array_agg(format('attempt %s of %s was lost', j.attempt + 1, l.most)))
    FROM unnest(lost.ids, lost.numbers, lost.reasons, lost.most, lost.outcomes) AS l (id, number, reason, most, outcome)
        CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = l.id OFFSET 0) AS j
    WHERE l.outcome = 'DEAD';
    PERFORM internal_cancel(array_agg(l.id), array_agg(l.number))
    FROM unnest(lost.ids, lost.numbers, lost.outcomes) AS l (id, number, outcome) WHERE l.outcome = 'CANCELLED';
END
$$;

REVOKE ALL ON FUNCTION internal_take_back(uuid[], bigint[], text[], boolean[]) FROM PUBLIC;
