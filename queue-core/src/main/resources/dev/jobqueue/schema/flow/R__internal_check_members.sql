-- Refuses jobs that cannot belong to batches or flows (JQ422): with a unique key or an id of the publisher's choice,
-- because then it might be another job that does the work. A step must be one that is free.
CREATE OR REPLACE FUNCTION internal_check_members(
    ids uuid[], flows uuid[], flow_steps int[], wanted int, given_ids boolean, unique_keys text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    bad uuid;
BEGIN
    IF cardinality(flows) <> wanted OR cardinality(flow_steps) <> wanted THEN
        PERFORM internal_invalid('flows', format('%s elements', cardinality(flows)),
            format('must have as many elements as types (%s)', wanted));
    ELSIF array_remove(unique_keys, NULL) <> '{}' THEN
        PERFORM internal_invalid('unique_key', (array_remove(unique_keys, NULL))[1],
            'must not be given for a member of a batch');
    ELSIF given_ids THEN
        PERFORM internal_invalid('given_ids', 'true', 'must be false for members of a batch: their ids are new');
    ELSIF flow_steps IS NULL THEN
        PERFORM internal_check_batches(flows, 'flows');
    ELSE
        SELECT g.id INTO bad FROM unnest(ids, flows, flow_steps) AS g (id, flow, step) LEFT JOIN LATERAL (
            SELECT s.job_id FROM flow_step s WHERE s.flow = g.flow AND s.step = g.step AND s.state = 'FREE'
                AND s.kind = 'job' OFFSET 0) AS s ON true
        WHERE s.job_id IS DISTINCT FROM g.id LIMIT 1;
        IF FOUND THEN
            PERFORM internal_invalid('flow_steps', bad::text, 'must be the step of this job, and free');
        END IF;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_check_members(uuid[], uuid[], int[], int, boolean, text[]) FROM PUBLIC;
