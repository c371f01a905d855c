-- Forgets batches and flows that finished longer ago than history is kept, and an hour at least, with what steps
-- returned; at most max, fewer if they are large. Returns how many.
CREATE OR REPLACE FUNCTION internal_prune_flows(clock timestamptz, max int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    old constant timestamptz := (SELECT clock - greatest(s.retention, interval '1 hour') FROM setting s);
    gone uuid[];
BEGIN
    gone := ARRAY(SELECT f.id FROM flow f WHERE f.finished_at < old ORDER BY f.finished_at
        LIMIT internal_prune_flows.max FOR UPDATE SKIP LOCKED);
    IF gone <> '{}' THEN
        -- Looked at again, now that they are locked: somebody may have gone on with one.
        gone := ARRAY(SELECT f.id FROM flow f WHERE f.id = ANY (gone) AND f.finished_at < old);
        DELETE FROM flow_step s WHERE s.flow = ANY (gone);
        DELETE FROM flow_edge e WHERE e.flow = ANY (gone);
        DELETE FROM flow_result r WHERE r.flow = ANY (gone);
        DELETE FROM flow_signal s WHERE s.flow = ANY (gone);
        DELETE FROM flow f WHERE f.id = ANY (gone);
    END IF;
    RETURN cardinality(gone);
END
$$;

REVOKE ALL ON FUNCTION internal_prune_flows(timestamptz, int) FROM PUBLIC;
