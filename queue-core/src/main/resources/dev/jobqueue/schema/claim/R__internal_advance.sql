-- Starts a new epoch after a search that walked far: over entries that are deleted and still there for somebody's
-- snapshot, or over jobs of other types. Entries are no longer added to an older epoch that nobody is writing to: if it
-- is empty, searches leave it out from now on; else they begin at its first entry of this queue and these types.
--   begins      false: only look at older epochs, do not start a new one
--   queue_hash  NULL: for scheduled, which is in the order of time alone
--   lines       not NULL: for the turns of the queue and of gates, and for what waits in these lines, instead of ready
CREATE OR REPLACE FUNCTION internal_advance(
    queue_hash bigint, types text[], begins boolean, lines bigint[] DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    most constant int := 64;
    class constant int := hashtext('jobqueue epochs of ' || current_schema());
    of_filter constant bigint := CASE WHEN queue_hash IS NULL THEN 1 ELSE internal_filter(types) END;
    candidates int[];
    latest int;
    bottom floor;
    head floor;
    heads floor[] := '{}';
    older int[] := '{}';
    closed int[] := '{}';
BEGIN
    -- An older snapshot might not show what was added last.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RETURN;
    END IF;
    -- The block is rolled back in any case, which gives up its locks: the caller's transaction may stay open for long,
    -- and what was found out remains true.
    BEGIN
        IF NOT pg_try_advisory_xact_lock(class, 0) THEN
            RETURN;
        END IF;
        -- Under the lock: the number only ever rises.
        candidates := internal_epochs();
        latest := candidates[cardinality(candidates)];
        IF begins AND cardinality(candidates) < most THEN
            candidates := candidates || (latest + 1);
            latest := setval('current_epoch', latest + 1);
        END IF;
        FOR n IN 1 .. cardinality(candidates) - 1 LOOP
            older := older || candidates[n];
            CONTINUE WHEN n > 100 OR NOT pg_try_advisory_xact_lock(class, candidates[n]);
            IF lines IS NOT NULL THEN
                heads := heads || ARRAY(SELECT f FROM internal_line_floors(candidates[n], queue_hash, lines) AS f);
                CONTINUE;
            END IF;
            bottom := internal_floor(candidates[n], coalesce(queue_hash, 0), of_filter);
            head := NULL;
            IF queue_hash IS NULL THEN
                SELECT s.epoch, 0, of_filter, 0, s.run_at, s.id INTO head FROM scheduled s
                WHERE s.epoch = candidates[n] AND (s.run_at, s.id) >= (bottom.run_at, bottom.id)
                ORDER BY s.run_at, s.id LIMIT 1;
            ELSE
                SELECT r.epoch, r.hash, of_filter, r.rank, r.run_at, r.id INTO head FROM ready r
                WHERE r.epoch = candidates[n] AND r.hash = queue_hash
                    AND (r.rank, r.run_at, r.id) >= (bottom.rank, bottom.run_at, bottom.id)
                    AND (types IS NULL OR r.type = ANY (types))
                ORDER BY r.rank, r.run_at, r.id LIMIT 1;
            END IF;
            IF head.epoch IS NOT NULL THEN
                IF head <> bottom THEN
                    heads := heads || head;
                END IF;
            ELSIF (bottom.run_at < 'infinity' OR NOT begins OR cardinality(candidates) >= most)
                    AND NOT EXISTS (SELECT FROM ready r WHERE r.epoch = candidates[n])
                    AND NOT EXISTS (SELECT FROM scheduled s WHERE s.epoch = candidates[n])
                    AND NOT EXISTS (SELECT FROM waiting w WHERE w.epoch = candidates[n])
                    AND NOT EXISTS (SELECT FROM turn t WHERE t.epoch = candidates[n]) THEN
                closed := closed || candidates[n];
            ELSIF bottom.run_at < 'infinity' THEN
                heads := heads || (candidates[n], coalesce(queue_hash, 0), of_filter, 2147483647, 'infinity',
                    'ffffffff-ffff-ffff-ffff-ffffffffffff')::floor;
            END IF;
        END LOOP;
        RAISE EXCEPTION 'done' USING ERRCODE = 'JQ002';
    EXCEPTION WHEN SQLSTATE 'JQ002' THEN
        NULL;
    END;

    IF begins OR closed <> '{}' THEN
        INSERT INTO epoch (upto, older)
        VALUES (latest, ARRAY(SELECT e FROM unnest(older) AS e WHERE e <> ALL (closed) ORDER BY e));
    END IF;
    INSERT INTO floor SELECT * FROM unnest(heads);
END
$$;

-- Where a search in an epoch begins.
CREATE OR REPLACE FUNCTION internal_floor(of_epoch int, of_hash bigint, of_filter bigint) RETURNS floor
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    highest floor;
BEGIN
    SELECT * INTO highest FROM floor f WHERE f.epoch = of_epoch AND f.hash = of_hash AND f.filter = of_filter
    ORDER BY f.rank DESC, f.run_at DESC, f.id DESC LIMIT 1;
    IF NOT FOUND THEN
        highest := (of_epoch, of_hash, of_filter, -2147483648, '-infinity', '00000000-0000-0000-0000-000000000000');
    END IF;
    RETURN highest;
END
$$;

-- Where searches of turns and lines may begin in an epoch to which nobody adds.
CREATE OR REPLACE FUNCTION internal_line_floors(of_epoch int, of_hash bigint, lines bigint[]) RETURNS SETOF floor
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT of_epoch, h, 2::bigint, 0, coalesce(t.at, 'infinity'), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    FROM unnest(ARRAY[0, of_hash]) AS h CROSS JOIN LATERAL internal_floor(of_epoch, h, 2) AS b
        LEFT JOIN LATERAL (SELECT t.at FROM turn t WHERE t.epoch = of_epoch AND t.hash = h AND t.at >= b.run_at
            ORDER BY t.at LIMIT 1) AS t ON true
    WHERE b.run_at < 'infinity' AND coalesce(t.at, 'infinity') > b.run_at
    UNION ALL
    SELECT of_epoch, l, 3::bigint, coalesce(w.rank, 2147483647), coalesce(w.place, 'infinity'),
        coalesce(w.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    FROM unnest(lines) AS l CROSS JOIN LATERAL internal_floor(of_epoch, l, 3) AS b
        LEFT JOIN LATERAL (SELECT w.rank, w.place, w.id FROM waiting w
            WHERE w.epoch = of_epoch AND w.line = l AND (w.rank, w.place, w.id) >= (b.rank, b.run_at, b.id)
            ORDER BY w.rank, w.place, w.id LIMIT 1) AS w ON true
    WHERE b.run_at < 'infinity' AND (w.id IS NULL OR (w.rank, w.place, w.id) > (b.rank, b.run_at, b.id));
END
$$;

-- Floors are kept by types that are looked for: 0 for any, and 1 for what is scheduled; 2 for turns and, by line
-- instead of queue, 3 for what waits.
CREATE OR REPLACE FUNCTION internal_filter(types text[]) RETURNS bigint
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$ SELECT CASE WHEN types IS NULL THEN 0 ELSE hashtextextended(types::text, 0) END $$;

REVOKE ALL ON FUNCTION internal_advance(bigint, text[], boolean, bigint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_line_floors(int, bigint, bigint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_floor(int, bigint, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_filter(text[]) FROM PUBLIC;
