-- DEAD -> gone, with their steps and events: those that match a filter (find_jobs), oldest first, at most max; cursor
-- and dry_run as in cancel_jobs.
CREATE OR REPLACE FUNCTION purge_jobs(
    filter jsonb, after text DEFAULT NULL, max int DEFAULT 1000, dry_run boolean DEFAULT false
) RETURNS TABLE (jobs bigint, cursor text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    ids uuid[];
    freed record;
BEGIN
    PERFORM internal_check_batch(filter, '{DEAD}', max);
    SELECT w.ids, w.cursor INTO ids, cursor
    FROM internal_walk(filter, after, purge_jobs.max, oldest_first => true) AS w;
    IF dry_run IS FALSE THEN
        ids := ARRAY(SELECT d.id FROM dead_letter d WHERE d.id = ANY (ids) ORDER BY d.id FOR UPDATE SKIP LOCKED);
        WITH gone AS (DELETE FROM dead_letter d WHERE d.id = ANY (ids) RETURNING d.*)
        SELECT array_agg(g.id) AS ids, array_agg(g.type) AS types, array_agg(g.unique_key) AS unique_keys,
            array_agg((g.id, g.queue, g.type, g.limits, g.limit_keys, g.gates, g.line, g.seq)::limited)
                FILTER (WHERE g.line IS NOT NULL) AS lined,
            array_agg(g.flow) FILTER (WHERE g.flow_step IS NOT NULL) AS flows,
            array_agg(g.flow_step) FILTER (WHERE g.flow_step IS NOT NULL) AS flow_steps
        INTO freed FROM gone g;
        IF freed.lined IS NOT NULL THEN
            PERFORM internal_leave(freed.lined, NULL);
        END IF;
        PERFORM internal_forget(ids);
        PERFORM internal_free_keys(freed.ids, freed.types, freed.unique_keys);
        IF freed.flows IS NOT NULL THEN
            PERFORM internal_give_up_waiting(freed.flows, freed.flow_steps);
        END IF;
    END IF;
    jobs := cardinality(ids);
    RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION purge_jobs(jsonb, text, int, boolean) FROM PUBLIC;
