-- Finds and locks due jobs of one queue in claim order, going on where this session's last claim left off.
-- While somebody holds an old snapshot, the index entries of claimed jobs cannot go away; a claim that starts at the
-- head walks over all of them, and the queue dies. The position lives in a session setting and not in a table, where
-- every claim would add a version that cannot go away either. It follows the transaction: a rollback restores it.
-- A large claim goes on where those of other sessions are, if they are further (internal_lead).
CREATE OR REPLACE FUNCTION internal_find(queue text, types text[], wanted int) RETURNS tid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    started constant timestamptz := clock_timestamp();
    hash constant bigint := hashtextextended(queue, 0);
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
    key bigint;
    lead timestamptz;
    places internal_position[] := '{}';
    above bigint := 3000000000;  -- beyond any int
    missing int := wanted;
    found tid[];
    priorities int[];
    run_ats timestamptz[];
    ids uuid[];
    last int;
    tids tid[] := '{}';
BEGIN
    memory := internal_look_back(queue, memory);
    FOR i IN 1 .. cardinality(memory.positions) + 1 LOOP
        place := memory.positions[i];
        IF missing > 0 THEN
            -- Priorities between the last place and this one (or below the last), which this session has not met yet.
            SELECT array_agg(f.ctid), array_agg(f.priority), array_agg(f.run_at), array_agg(f.id)
            INTO found, priorities, run_ats, ids FROM (
                SELECT j.ctid, j.priority, j.run_at, j.id FROM job j
                WHERE hashtextextended(j.queue, 0) = hash AND j.queue = internal_find.queue
                    AND j.state = 'PENDING' AND j.priority < above AND j.priority > coalesce(place.priority, -3000000000)
                    AND (types IS NULL OR j.type = ANY (types))
                ORDER BY j.priority DESC, j.run_at, j.id LIMIT missing FOR UPDATE SKIP LOCKED) f;
            IF found IS NOT NULL THEN
                tids := tids || found;
                missing := missing - cardinality(found);
                places := places || ARRAY(SELECT (p, memory.settled, nil, false)::internal_position
                    FROM unnest(priorities) AS p GROUP BY p ORDER BY p DESC);
                last := cardinality(found);
                IF missing = 0 AND run_ats[last] < memory.settled THEN
                    places[cardinality(places)] := (priorities[last], run_ats[last], ids[last], false);
                END IF;
            END IF;
        END IF;
        EXIT WHEN i > cardinality(memory.positions);
        IF missing > 0 THEN
            IF wanted >= 200 THEN
                key := hashtextextended(name, place.priority);
                lead := internal_lead(key);
                IF place.follows AND lead > place.run_at THEN
                    place := (place.priority, least(lead, memory.settled), nil, true);
                END IF;
            END IF;
            SELECT array_agg(f.ctid), array_agg(f.run_at), array_agg(f.id) INTO found, run_ats, ids FROM (
                SELECT j.ctid, j.run_at, j.id FROM job j
                WHERE hashtextextended(j.queue, 0) = hash AND j.queue = internal_find.queue
                    AND j.state = 'PENDING' AND j.priority = place.priority
                    AND (j.run_at, j.id) >= (place.run_at, place.id)
                    AND (types IS NULL OR j.type = ANY (types))
                ORDER BY j.run_at, j.id LIMIT missing FOR UPDATE SKIP LOCKED) f;
            tids := tids || found;
            last := coalesce(cardinality(found), 0);
            missing := missing - last;
            -- Not filled: nothing visible is left here, and what is not visible yet is no older than "settled".
            IF missing = 0 AND run_ats[last] < memory.settled THEN
                place := (place.priority, run_ats[last], ids[last], place.follows);
            ELSE
                place := (place.priority, memory.settled, nil, place.follows);
            END IF;
            -- All that lies behind the others was looked at: by this session, since it last went back.
            IF missing > 0 OR place.run_at >= lead THEN
                place.follows := true;
            END IF;
            IF wanted >= 200 AND missing = 0 AND isfinite(place.run_at) AND (place.run_at > lead) IS NOT FALSE THEN
                PERFORM internal_set_lead(key, place.run_at);
            END IF;
        END IF;
        places := places || place;
        above := place.priority;
    END LOOP;

    memory.positions := places[1:8];
    IF memory.walked_at >= started THEN
        memory.walk_seconds := extract(epoch FROM clock_timestamp() - started);
    END IF;
    PERFORM set_config(name, to_jsonb(memory)::text, false);
    RETURN tids;
END
$$;

REVOKE ALL ON FUNCTION internal_find(text, text[], int) FROM PUBLIC;
