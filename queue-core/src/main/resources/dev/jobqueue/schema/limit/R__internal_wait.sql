-- -> WAITING: jobs with limits that are due and have no place now, each in its line. Leaves a turn for each line.
CREATE OR REPLACE FUNCTION internal_wait(ids uuid[], entered int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO waiting (epoch, line, rank, place, id, hash, run_at, type, size)
    SELECT entered, j.line,
        -- One that still holds its FIFO line comes before all others.
        CASE WHEN j.seq IS NULL THEN ~j.priority
            WHEN EXISTS (SELECT FROM held h WHERE h.id = j.id) THEN -2147483648 ELSE 0 END,
        CASE WHEN j.seq IS NULL THEN j.run_at ELSE internal_place_in_line(j.seq) END,
        j.id, hashtextextended(j.queue, 0), j.run_at, j.type,
        octet_length(j.payload::text) + coalesce(octet_length(j.headers::text), 0)
            + CASE WHEN j.steps > 0 THEN internal_bytes_of_steps(j.id) ELSE 0 END
    FROM job j WHERE j.id = ANY (internal_wait.ids);
    INSERT INTO turn (epoch, hash, at, line, type, limits, gates, is_mixed)
    SELECT DISTINCT ON (j.line) entered, hashtextextended(j.queue, 0), clock_timestamp(), j.line,
        CASE WHEN j.seq IS NULL THEN j.type ELSE '' END, j.limits, j.gates, j.seq IS NOT NULL
    FROM job j WHERE j.id = ANY (internal_wait.ids);
END
$$;

-- The order of publishing as a time, so that all lines are in the order of the same columns.
CREATE OR REPLACE FUNCTION internal_place_in_line(seq bigint) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN timestamptz '2000-01-01 00:00:00+00' + seq * interval '1 microsecond';
END
$$;

REVOKE ALL ON FUNCTION internal_wait(uuid[], int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_place_in_line(bigint) FROM PUBLIC;
