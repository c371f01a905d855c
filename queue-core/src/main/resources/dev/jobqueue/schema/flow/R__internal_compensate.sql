-- Undoes what a flow has done, the last first: steps that come one after the other, whatever becomes of the one before.
-- Returns queues with new jobs.
CREATE OR REPLACE FUNCTION internal_compensate(of_flow uuid, one_by_one boolean) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    last int;
    added int;
BEGIN
    -- As add_steps, which may be about to use the next number. Then once more later.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('jobqueue steps of ' || of_flow, 0)) THEN
        INSERT INTO flow_tick (at, flow, what)
        VALUES (clock_timestamp() + interval '50 milliseconds', of_flow, 'SEAL');
        RETURN '{}';
    END IF;
    last := (SELECT s.step FROM flow_step s WHERE s.flow = of_flow ORDER BY s.step DESC LIMIT 1);
    INSERT INTO flow_step (flow, step, name, kind, state, job_id, spec, compensates, on_parent_dead, missing, freed_at)
    SELECT of_flow, last + u.i, 'compensate:' || u.name, 'job',
        CASE u.i WHEN 1 THEN 'FREE' ELSE 'BLOCKED' END, uuidv7(), u.compensation, u.step, 'RUN', (u.i > 1)::int,
        CASE u.i WHEN 1 THEN clock_timestamp() END
    FROM (SELECT s.*, row_number() OVER (ORDER BY s.ended_n DESC, s.step DESC) AS i
        FROM flow_step s WHERE s.flow = of_flow AND s.state = 'DONE' AND s.compensation IS NOT NULL
            AND NOT EXISTS (SELECT FROM flow_step c WHERE c.flow = of_flow AND c.compensates = s.step)) AS u;
    GET DIAGNOSTICS added = ROW_COUNT;
    INSERT INTO flow_edge (flow, parent, child)
    SELECT of_flow, last + i, last + i + 1 FROM generate_series(1, added - 1) AS i;
    UPDATE flow f SET state = 'COMPENSATING', total = f.total + added, cancelling = false WHERE f.id = of_flow;
    RETURN internal_free_steps(ARRAY[of_flow], ARRAY[last + 1], one_by_one);
END
$$;

-- Whether a flow has steps that are done, can be undone, and were not.
CREATE OR REPLACE FUNCTION internal_has_to_undo(of_flow uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM flow_step s WHERE s.flow = of_flow AND s.state = 'DONE' AND s.compensation IS NOT NULL
        AND NOT EXISTS (SELECT FROM flow_step c WHERE c.flow = of_flow AND c.compensates = s.step));
END
$$;

REVOKE ALL ON FUNCTION internal_compensate(uuid, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_has_to_undo(uuid) FROM PUBLIC;
