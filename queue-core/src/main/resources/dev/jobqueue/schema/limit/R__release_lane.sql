-- A FIFO line goes on without the job that it stands behind: a dead letter, or one that waits for its next attempt.
-- Returns whether there was one. A job that runs is not touched.
CREATE OR REPLACE FUNCTION release_lane(of_limit text, key text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    of_gate constant bigint := hashtextextended(of_limit || E'\x1f' || key, 0);
    lines bigint[];
BEGIN
    IF NOT EXISTS (SELECT FROM job_limit l WHERE l.name = of_limit AND l.kind = 'FIFO') THEN
        PERFORM internal_invalid('of_limit', of_limit, 'must be a FIFO limit');
    ELSIF key IS NULL THEN
        PERFORM internal_invalid('key', NULL, 'must not be null');
    END IF;
    -- Under the limit's lock, so that no claim lets the job pass meanwhile.
    PERFORM internal_lock_limit(of_limit);
    WITH gone AS (
        -- In id order, as those who settle or cancel jobs.
        DELETE FROM held WHERE ctid = ANY (ARRAY(
            SELECT h.ctid FROM held h WHERE h.gate = of_gate
                AND NOT EXISTS (SELECT FROM live_job j WHERE j.id = h.id AND j.state = 'RUNNING')
            ORDER BY h.id FOR UPDATE OF h))
        RETURNING line)
    SELECT array_agg(DISTINCT g.line) INTO lines FROM gone g;
    IF lines IS NULL THEN
        RETURN false;
    END IF;
    PERFORM pg_notify(current_schema(), q) FROM internal_turn_lines(lines) AS q;
    PERFORM internal_turn_gates(ARRAY[of_limit], ARRAY[of_gate]);
    RETURN true;
END
$$;

-- "Look who hangs on these gates", and tells all workers, because these lines may be of any queue.
CREATE OR REPLACE FUNCTION internal_turn_gates(limits text[], gates bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO turn (epoch, hash, at, limits, gates)
    SELECT internal_enter(), 0, clock_timestamp(), ARRAY[g.name], array_agg(g.gate)
    FROM unnest(internal_turn_gates.limits, internal_turn_gates.gates) AS g (name, gate) GROUP BY g.name;
    PERFORM pg_notify(current_schema(), q) FROM (
        SELECT DISTINCT unnest(w.queues) FROM worker w WHERE w.dead_at IS NULL) AS n (q);
END
$$;

REVOKE ALL ON FUNCTION release_lane(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_turn_gates(text[], bigint[]) FROM PUBLIC;
