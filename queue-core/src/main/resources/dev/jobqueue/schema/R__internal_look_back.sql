-- Sets a session's remembered positions of a queue back to where jobs may have become visible since its last claim.
-- A claim trusts that nothing turns up behind its position; four things do, and each is noticed here:
--  1. Transactions that publish and commit a little later. publish takes its run_at after its transaction id, so
--     whoever is newer than a mark (time, transaction id) published nothing older than it: positions stop at the last
--     mark that no transaction in progress precedes ("settled", normally the claim before the last one).
--  2. Transactions that stay open for more than a second would hold that back: they are put on a list, and when one of
--     them ends, positions go back to the oldest run_at it can have used.
--  3. Jobs put back by release, rescue, replay and promote, or published with a run_at in the past: table rewind.
--  4. Whatever else (a large claim that was rolled back, a clock set back): a walk from the very start
--     every 10 seconds, or more rarely if such walks are slow, so that they never take more than 5 % of the time.
-- Who goes back does not follow other sessions until it has come as far as they are: they may not have gone back yet.
CREATE OR REPLACE FUNCTION internal_look_back(queue text, memory internal_memory) RETURNS internal_memory
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    seen constant pg_snapshot := pg_current_snapshot();
    nil constant uuid := '00000000-0000-0000-0000-000000000000';
    older xid8[];
    ended timestamptz;
    rewound timestamptz;
    back_to timestamptz;
BEGIN
    -- Our own id is no mark while it is in progress: ids before it may then be missing from the snapshot's list.
    IF memory.marked_at < clock - interval '10 ms' AND memory.marked_xid <> pg_current_xact_id() THEN
        IF pg_snapshot_xmin(seen) < memory.marked_xid THEN
            older := ARRAY(SELECT x FROM pg_snapshot_xip(seen) AS x
                WHERE x < memory.marked_xid AND x <> ALL (memory.long_xids));
        END IF;
        IF older = '{}' IS NOT FALSE OR memory.marked_at < clock - interval '1 second' THEN
            IF older <> '{}' THEN
                memory.long_xids := memory.long_xids || older;
                memory.long_since := memory.long_since || array_fill(memory.settled, ARRAY[cardinality(older)]);
            END IF;
            memory.settled := memory.marked_at;
            memory.marked_at := now();
            memory.marked_xid := pg_current_xact_id();
        END IF;
    END IF;

    IF memory.long_xids <> '{}' THEN
        SELECT min(since) FILTER (WHERE done), coalesce(array_agg(xid) FILTER (WHERE NOT done), '{}'),
            coalesce(array_agg(since) FILTER (WHERE NOT done), '{}')
        INTO ended, memory.long_xids, memory.long_since
        FROM unnest(memory.long_xids, memory.long_since) AS l (xid, since), pg_visible_in_snapshot(xid, seen) AS done;
    END IF;

    -- Ids are given before commit: look at some that are lower than the highest seen, and at all when a long
    -- transaction ended.
    SELECT coalesce(array_agg(id), '{}'), min(run_at) FILTER (WHERE id <> ALL (memory.rewinds)),
        greatest(max(id), memory.last_rewind)
    INTO memory.rewinds, rewound, memory.last_rewind
    FROM rewind r WHERE r.queue = internal_look_back.queue
        AND id > CASE WHEN ended IS NULL THEN memory.last_rewind - 1000 ELSE 0 END;

    back_to := least(ended, rewound);
    IF memory.walked_at < clock - greatest(10, 20 * memory.walk_seconds) * interval '1 second' THEN
        back_to := '-infinity';
        memory.walked_at := clock;
    END IF;
    IF back_to IS NOT NULL THEN
        memory.positions := ARRAY(
            SELECT (priority, least(run_at, back_to), CASE WHEN run_at < back_to THEN id ELSE nil END, false
                )::internal_position
            FROM unnest(memory.positions) AS p ORDER BY priority DESC);
    END IF;
    RETURN memory;
END
$$;

REVOKE ALL ON FUNCTION internal_look_back(text, internal_memory) FROM PUBLIC;
