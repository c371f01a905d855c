-- Locks the given jobs that run under these leases, in id order, so that what follows may touch them in any order.
-- Returns for each job once: its place among those given, its id, and the number of its lease.
CREATE OR REPLACE FUNCTION internal_lock(ids uuid[], leases bigint[])
RETURNS TABLE (i bigint, id uuid, number bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT given.i, given.id, given.lease >> 12 FROM (
            SELECT DISTINCT ON (g.id) g.i, g.id, g.lease
            FROM unnest(ids, leases) WITH ORDINALITY AS g (id, lease, i) ORDER BY g.id, g.i) AS given
        -- OFFSET 0 keeps the planner from reading all leases or jobs, which may look like few to it.
        CROSS JOIN LATERAL (SELECT l.versions[array_position(l.ids, given.id)] AS version FROM lease l
            WHERE l.number = given.lease >> 12 OFFSET 0) AS l
        CROSS JOIN LATERAL (SELECT * FROM job j WHERE j.id = given.id AND j.version = l.version
            AND (j.version & 4095) = (given.lease & 4095) OFFSET 0) AS j
        FOR UPDATE OF j;
END
$$;

-- Whether a job of this version runs under a lease.
CREATE OR REPLACE FUNCTION internal_runs(id uuid, version int, lease bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN (version & 4095) = (internal_runs.lease & 4095) AND EXISTS (
        SELECT FROM lease l WHERE l.number = internal_runs.lease >> 12
            AND l.versions[array_position(l.ids, internal_runs.id)] = version);
END
$$;

-- Deletes those of these leases of which nothing is left, that is, none of their jobs has the version any more under
-- which they hold it. A job that is being settled by somebody who has not committed is still there.
CREATE OR REPLACE FUNCTION internal_tidy(numbers bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
BEGIN
    DELETE FROM lease WHERE number IN (
        SELECT l.number FROM lease l WHERE l.number = ANY (numbers) AND NOT EXISTS (
            SELECT FROM unnest(l.ids, l.versions) AS h (id, version) CROSS JOIN LATERAL (
                SELECT FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j)
        FOR UPDATE SKIP LOCKED);
END
$$;

REVOKE ALL ON FUNCTION internal_lock(uuid[], bigint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_runs(uuid, int, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_tidy(bigint[]) FROM PUBLIC;
