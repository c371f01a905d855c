-- Locks the running jobs of the given pairs in id order, so that what follows may touch them in any order.
CREATE OR REPLACE FUNCTION internal_lock(ids uuid[], leases bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
BEGIN
    PERFORM FROM (SELECT * FROM unnest(ids, leases) AS g (id, lease) ORDER BY g.id) AS given
        JOIN job ON job.id = given.id AND job.lease = given.lease
        FOR UPDATE OF job;
END
$$;

REVOKE ALL ON FUNCTION internal_lock(uuid[], bigint[]) FROM PUBLIC;
