-- SCHEDULED, WAITING, PENDING: another priority, and so another place in the order of claims. RUNNING: counts if the
-- job is tried again. Returns the state.
CREATE OR REPLACE FUNCTION reprioritise(id uuid, priority int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    found_job job;
    found_state text;
BEGIN
    IF reprioritise.priority IS NULL THEN
        PERFORM internal_invalid('priority', NULL, 'must not be null');
    END IF;
    SELECT * INTO found_job FROM job WHERE job.id = reprioritise.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM internal_refuse(reprioritise.id);
    END IF;
    found_state := internal_withdraw(found_job);
    UPDATE job SET priority = reprioritise.priority WHERE job.id = reprioritise.id;
    IF found_state IS NOT NULL THEN
        PERFORM internal_put(ARRAY[reprioritise.id], found_state);
    END IF;
    RETURN coalesce(found_state, 'RUNNING');
END
$$;

-- Reprioritises jobs that match a filter (find_jobs), SCHEDULED, WAITING or PENDING, at most max; cursor and dry_run as
-- in cancel_jobs. Passes over those that have the priority.
CREATE OR REPLACE FUNCTION reprioritise_jobs(
    filter jsonb, priority int, after text DEFAULT NULL, max int DEFAULT 1000, dry_run boolean DEFAULT false
) RETURNS TABLE (jobs bigint, cursor text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    ids uuid[];
BEGIN
    PERFORM internal_check_batch(filter, '{SCHEDULED,WAITING,PENDING}', max);
    IF reprioritise_jobs.priority IS NULL THEN
        PERFORM internal_invalid('priority', NULL, 'must not be null');
    END IF;
    SELECT w.ids, w.cursor INTO ids, cursor FROM internal_walk(filter, after, reprioritise_jobs.max,
        further => 's.priority <> $12::int', value => reprioritise_jobs.priority::text) AS w;
    IF dry_run IS FALSE THEN
        ids := internal_withdraw_many(ids, filter);
        UPDATE job SET priority = reprioritise_jobs.priority WHERE job.id = ANY (ids);
        PERFORM internal_put(ids, filter ->> 'state');
    END IF;
    jobs := cardinality(ids);
    RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION reprioritise(uuid, int) FROM PUBLIC;
REVOKE ALL ON FUNCTION reprioritise_jobs(jsonb, int, text, int, boolean) FROM PUBLIC;
