-- RUNNING -> SCHEDULED, without counting the attempt (CANCELLED where that was asked): somebody else said that it was
-- too much. Nothing with the same key starts before then: of the limit that is named, or of the job's first one. A job
-- without limits is only put off.
CREATE OR REPLACE FUNCTION rate_limited(id uuid, lease bigint, delay interval, of_limit text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s'
AS $$
DECLARE
    passed record;
    outcome text;
BEGIN
    SELECT j.limits, j.limit_keys, j.gates, coalesce(array_position(j.limits, of_limit), 1) AS i INTO passed
    FROM job j WHERE j.id = rate_limited.id;
    IF of_limit IS NOT NULL AND passed.limits IS NOT NULL AND of_limit <> ALL (passed.limits) THEN
        PERFORM internal_invalid('of_limit', of_limit,
            format('must be a limit of the job (%s)', array_to_string(passed.limits, ', ')));
    END IF;
    IF passed.gates IS NOT NULL THEN
        -- A claim looks for closings before it counts: it must not meet the room that this leaves and not the closing.
        PERFORM internal_lock_limit(passed.limits[passed.i]);
    END IF;
    outcome := snooze(rate_limited.id, rate_limited.lease, delay);
    IF passed.gates IS NOT NULL THEN
        -- Open when the job is due: where what does not pass is dropped, a moment later would be too late for it.
        INSERT INTO closing (gate, until, name, key) VALUES (passed.gates[passed.i], coalesce(
            (SELECT j.run_at FROM job j WHERE j.id = rate_limited.id), clock_timestamp() + delay),
            passed.limits[passed.i], passed.limit_keys[passed.i]);
    END IF;
    RETURN outcome;
END
$$;

REVOKE ALL ON FUNCTION rate_limited(uuid, bigint, interval, text) FROM PUBLIC;
