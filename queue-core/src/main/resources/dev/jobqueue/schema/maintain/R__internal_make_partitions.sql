-- Makes the partitions of job_history for today and the days ahead (UTC); returns how many it made.
-- CREATE and ATTACH, because CREATE ... PARTITION OF would lock out everybody who completes jobs. What cannot be had
-- within the lock timeout is left to the next call; until then the default partition takes the rows.
CREATE OR REPLACE FUNCTION internal_make_partitions(days_ahead int DEFAULT 7) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms'
AS $$
DECLARE
    today constant date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    starts timestamptz;
    ends timestamptz;
    partition text;
    made int := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('jobqueue partitions of ' || current_schema(), 0)) THEN
        RETURN 0;
    END IF;
    FOR day IN 0 .. days_ahead LOOP
        starts := (today + day)::timestamp AT TIME ZONE 'UTC';
        ends := (today + day + 1)::timestamp AT TIME ZONE 'UTC';
        partition := 'job_history_' || to_char(today + day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass(format('%I', partition)) IS NOT NULL
            OR EXISTS (SELECT FROM job_history_default d WHERE d.finished_at >= starts AND d.finished_at < ends);
        BEGIN
            EXECUTE format('CREATE TABLE %I (LIKE job_history INCLUDING ALL)', partition);
            EXECUTE format('ALTER TABLE job_history ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                partition, starts, ends);
            made := made + 1;
        EXCEPTION WHEN lock_not_available OR check_violation THEN
            NULL;  -- Somebody reads the default partition, or completed a job into it just now.
        END;
    END LOOP;
    RETURN made;
END
$$;

REVOKE ALL ON FUNCTION internal_make_partitions(int) FROM PUBLIC;

-- Before the first job completes; later ones are made by prune.
DO $$ BEGIN PERFORM internal_make_partitions(); END $$;
