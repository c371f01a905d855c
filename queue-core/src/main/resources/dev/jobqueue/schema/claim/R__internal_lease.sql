-- -> RUNNING: jobs of a queue that have no place now, in the order given. Returns what claim does.
CREATE OR REPLACE FUNCTION internal_lease(holder uuid, of_queue text, taken uuid[])
RETURNS TABLE (
    id uuid, queue text, type text, payload json, attempt int, max_attempts int, lease bigint, headers jsonb,
    steps jsonb, percent smallint, stage text, created_at timestamptz, run_at timestamptz, timeout_at timestamptz,
    timeout interval, claimed_at timestamptz, limited boolean, flow uuid, flow_step text, lane bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    numbers constant bigint[] := internal_lease_numbers(clock, (cardinality(taken) + 63) / 64);
BEGIN
    RETURN QUERY
    WITH held AS MATERIALIZED (
        SELECT g.n, numbers[(g.n + 63) / 64] AS number, j.id, j.type, j.payload, j.attempt, j.version, j.headers,
            j.steps, j.percent, j.stage, j.created_at, j.run_at, j.line IS NOT NULL AS limited, j.flow, j.flow_step,
            CASE WHEN j.seq IS NOT NULL THEN j.line END AS lane,
            coalesce(j.max_attempts, p.max_attempts, 3) AS max_attempts, coalesce(j.timeout, p.timeout) AS timeout
        -- OFFSET 0 keeps the planner from reading all jobs, which may look like few to it.
        FROM unnest(taken) WITH ORDINALITY AS g (id, n)
            CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = g.id OFFSET 0) AS j
            LEFT JOIN retry_policy p ON p.type = j.type
    ), leased AS (
        INSERT INTO lease (number, worker_id, queue, claimed_at, ids, versions, timeout_at)
        SELECT h.number, holder, of_queue, clock, array_agg(h.id), array_agg(h.version),
            clock + min(h.timeout)
        FROM held h GROUP BY h.number
    )
    SELECT h.id, of_queue, h.type, h.payload, h.attempt + 1, h.max_attempts,
        (h.number << 12) | (h.version & 4095), coalesce(h.headers, '{}'),
        CASE WHEN h.steps > 0 THEN internal_steps(h.id) END, h.percent, h.stage, h.created_at, h.run_at,
        clock + h.timeout, h.timeout, clock, h.limited, h.flow,
        CASE WHEN h.flow_step IS NOT NULL THEN internal_step_name(h.flow, h.flow_step) END, h.lane
    FROM held h;
END
$$;

-- The results of the steps that a job has finished, by name.
CREATE OR REPLACE FUNCTION internal_steps(of_job uuid) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN (SELECT jsonb_object_agg(s.step, s.result) FROM job_step s WHERE s.job_id = of_job);
END
$$;

-- The name of a step of a flow.
CREATE OR REPLACE FUNCTION internal_step_name(of_flow uuid, of_step int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN (SELECT s.name FROM flow_step s WHERE s.flow = of_flow AND s.step = of_step);
END
$$;

REVOKE ALL ON FUNCTION internal_lease(uuid, text, uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_steps(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_step_name(uuid, int) FROM PUBLIC;
