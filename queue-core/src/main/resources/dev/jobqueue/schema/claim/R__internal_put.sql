-- -> PENDING or SCHEDULED: jobs that have no place now; those with limits WAITING instead of PENDING. Tells their
-- queues; '' tells the promoter, which sleeps until the next due time it knows of.
CREATE OR REPLACE FUNCTION internal_put(ids uuid[], state text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    entered int;
BEGIN
    IF ids = '{}' IS NOT FALSE THEN
        RETURN;
    END IF;
    entered := internal_enter();
    IF internal_put.state IN ('PENDING', 'WAITING') THEN
        INSERT INTO ready (epoch, hash, rank, run_at, id, type, size)
        SELECT entered, hashtextextended(j.queue, 0), ~j.priority, j.run_at, j.id, j.type,
            octet_length(j.payload::text) + coalesce(octet_length(j.headers::text), 0)
                + CASE WHEN j.steps > 0 THEN internal_bytes_of_steps(j.id) ELSE 0 END
        FROM job j WHERE j.id = ANY (ids) AND j.line IS NULL;
        PERFORM internal_wait(w.ids, entered)
        FROM (SELECT array_agg(j.id) FROM job j WHERE j.id = ANY (internal_put.ids) AND j.line IS NOT NULL) AS w (ids)
        WHERE w.ids IS NOT NULL;
        PERFORM pg_notify(current_schema(), q)
        FROM (SELECT DISTINCT j.queue FROM job j WHERE j.id = ANY (ids)) AS n (q);
    ELSE
        INSERT INTO scheduled (epoch, hash, rank, run_at, id, type, size, line)
        SELECT entered, hashtextextended(j.queue, 0), ~j.priority, j.run_at, j.id, j.type,
            octet_length(j.payload::text) + coalesce(octet_length(j.headers::text), 0)
                + CASE WHEN j.steps > 0 THEN internal_bytes_of_steps(j.id) ELSE 0 END, j.line
        FROM job j WHERE j.id = ANY (ids);
        PERFORM pg_notify(current_schema(), '');
    END IF;
END
$$;

-- How many bytes the results of the steps have that a job has finished; a GiB at most, which no claim asks for.
CREATE OR REPLACE FUNCTION internal_bytes_of_steps(of_job uuid) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN (SELECT least(coalesce(sum(octet_length(s.result::text)), 0), 1 << 30) FROM job_step s
        WHERE s.job_id = of_job);
END
$$;

REVOKE ALL ON FUNCTION internal_bytes_of_steps(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_put(uuid[], text) FROM PUBLIC;
