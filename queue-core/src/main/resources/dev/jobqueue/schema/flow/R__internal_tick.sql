-- Tells of jobs that ended, one tick for each flow; keeps what steps returned.
CREATE OR REPLACE FUNCTION internal_tick(ended linked[], what text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO flow_tick (flow, what, jobs, steps)
    SELECT e.flow, internal_tick.what, count(*), array_agg(e.step) FILTER (WHERE e.step IS NOT NULL)
    FROM unnest(ended) AS e GROUP BY e.flow;
    IF internal_tick.what = 'DONE' THEN
        INSERT INTO flow_result (flow, step, result)
        SELECT e.flow, e.step, e.result FROM unnest(ended) AS e WHERE e.step IS NOT NULL AND e.result IS NOT NULL;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_tick(linked[], text) FROM PUBLIC;
