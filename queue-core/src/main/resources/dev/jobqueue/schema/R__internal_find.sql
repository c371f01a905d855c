-- Finds and locks due jobs of one queue in claim order, going on where this session's last claim left off.
-- While somebody holds an old snapshot, the index entries of claimed jobs cannot go away; a claim that starts at the
-- head walks over all of them, and the queue dies. The position lives in a session setting and not in a table, where
-- every claim would add a version that cannot go away either. It follows the transaction: a rollback restores it.
CREATE OR REPLACE FUNCTION internal_find(queue text, types text[], wanted int) RETURNS tid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    started constant timestamptz := clock_timestamp();
    nil constant uuid := '00000000-0000-0000-0000-000000000000';
    -- Another filter is another memory.
    name constant text := 'jobqueue.memory_'
        || to_hex(hashtextextended(ARRAY[current_schema(), queue]::text || coalesce(types::text, ''), 0));
    memory internal_memory := jsonb_populate_record(NULL::internal_memory, coalesce(
        nullif(current_setting(name, true), ''),
        -- The default priority is known from the start: a queue found empty is then not searched from its head again.
        '{"positions": [{"priority": 0, "run_at": "-infinity", "id": "00000000-0000-0000-0000-000000000000"}],
        "settled": "-infinity", "marked_at": "-infinity", "marked_xid": "0", "long_xids": [], "long_since": [],
        "rewinds": [], "last_rewind": 0, "walked_at": "-infinity", "walk_seconds": 0}')::jsonb);
    place internal_position;
    places internal_position[] := '{}';
    above bigint := 1::bigint << 31;
    missing int := wanted;
    found tid[];
    priorities int[];
    run_ats timestamptz[];
    ids uuid[];
    tids tid[] := '{}';
BEGIN
    memory := internal_look_back(queue, memory);
    FOR i IN 1 .. cardinality(memory.positions) + 1 LOOP
        place := memory.positions[i];
        -- Priorities nobody has met yet, between the last place and this one.
        IF missing > 0 AND coalesce(place.priority, -1::bigint << 31) + 1 < above THEN
            SELECT array_agg(f.ctid), array_agg(f.priority), array_agg(f.run_at), array_agg(f.id)
            INTO found, priorities, run_ats, ids FROM (
                SELECT j.ctid, j.priority, j.run_at, j.id FROM job j
                WHERE j.queue = internal_find.queue AND j.state = 'PENDING' AND j.priority < above
                    AND j.priority > coalesce(place.priority, (-1::bigint << 31) - 1)
                    AND (types IS NULL OR j.type = ANY (types))
                ORDER BY j.priority DESC, j.run_at, j.id LIMIT missing FOR UPDATE SKIP LOCKED) f;
            IF found IS NOT NULL THEN
                tids := tids || found;
                missing := missing - cardinality(found);
                places := places || ARRAY(SELECT (p, memory.settled, nil)::internal_position
                    FROM unnest(priorities) AS p GROUP BY p ORDER BY p DESC);
                IF missing = 0 AND run_ats[wanted - missing] < memory.settled THEN
                    NULL;
                END IF;
            END IF;
        END IF;
    END LOOP;
    RETURN tids;
END
$$;
