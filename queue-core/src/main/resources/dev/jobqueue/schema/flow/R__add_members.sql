-- Jobs in the JSON form of publish_many that become members of a batch. Returns their ids in order. Members may come
-- in any number of calls and transactions, and after the batch was sealed from its members; a batch that has finished
-- goes on.
CREATE OR REPLACE FUNCTION add_members(batch uuid, jobs jsonb) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    a record;
BEGIN
    PERFORM internal_check_batches(ARRAY[batch], 'batch');
    IF batch IS NULL THEN
        PERFORM internal_no_flow(batch);
    END IF;
    SELECT * INTO a FROM internal_read_jobs(jobs);
    IF array_remove(a.ids, NULL) <> '{}' THEN
        PERFORM internal_invalid('id', a.ids[1]::text, 'must not be given for a member of a batch');
    END IF;
    RETURN QUERY SELECT * FROM publish_many(NULL, a.types, a.payloads, a.queues, a.priorities, a.run_ats, a.delays_ms,
        a.max_attempts, a.timeouts_ms, a.unique_keys, a.headers, unique_for_ms => a.unique_for_ms,
        on_conflicts => a.on_conflicts, max_delays_ms => a.max_delays_ms, limits => a.limits,
        flows => array_fill(batch, ARRAY[cardinality(a.types)]));
END
$$;

REVOKE ALL ON FUNCTION add_members(uuid, jsonb) FROM PUBLIC;
