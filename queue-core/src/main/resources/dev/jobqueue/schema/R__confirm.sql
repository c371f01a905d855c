-- RUNNING: jobs that this worker took as they were published (publish_many), now that they are committed. Returns what
-- claim does, under new leases; nothing of those that were rolled back, or taken from the worker meanwhile. Jobs of a
-- queue that is paused go back to PENDING.
CREATE OR REPLACE FUNCTION confirm(worker_id uuid, leases bigint[])
RETURNS TABLE (
    id uuid, queue text, type text, payload json, attempt int, max_attempts int, lease bigint, headers jsonb,
    steps jsonb, percent smallint, stage text, created_at timestamptz, run_at timestamptz, timeout_at timestamptz,
    timeout interval, claimed_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    declared_dead timestamptz := (SELECT w.dead_at FROM worker w WHERE w.id = confirm.worker_id);
    taken lease;
BEGIN
    IF declared_dead IS NOT NULL THEN
        PERFORM internal_refuse_dead(confirm.worker_id, declared_dead);
    END IF;
    FOR taken IN
        SELECT l.* FROM lease l WHERE l.number = ANY (leases) AND l.worker_id = confirm.worker_id AND l.is_direct
        FOR UPDATE
    LOOP
        IF EXISTS (SELECT FROM queue q WHERE q.name = taken.queue AND q.paused_at IS NOT NULL) THEN
            PERFORM internal_release(taken);
        ELSE
            -- A beat or a rescue may have put some of them back.
            taken.ids := ARRAY(
                SELECT j.id FROM unnest(taken.ids, taken.versions) AS h (id, version) CROSS JOIN LATERAL (
                    SELECT * FROM job j WHERE j.id = h.id AND j.version = h.version OFFSET 0) AS j
                FOR NO KEY UPDATE OF j);
            DELETE FROM lease l WHERE l.number = taken.number;
            IF taken.ids <> '{}' THEN
                RETURN QUERY SELECT * FROM internal_lease(confirm.worker_id, taken.queue, taken.ids);
            END IF;
        END IF;
    END LOOP;
END
$$;

-- RUNNING -> PENDING: what is left of a lease that no worker has begun.
CREATE OR REPLACE FUNCTION internal_release(held lease) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM release(held.ids, ARRAY(
        SELECT (held.number << 12) | (h.version & 4095)
        FROM unnest(held.versions) WITH ORDINALITY AS h (version, i) ORDER BY h.i));
END
$$;

REVOKE ALL ON FUNCTION confirm(uuid, bigint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_release(lease) FROM PUBLIC;
