-- -> PENDING, or SCHEDULED when run_at lies ahead, or WAITING with limits: one job. limits: an object of limits and
-- keys, besides those that its type and queue have.

CREATE OR REPLACE FUNCTION publish(
    type text, payload text, queue text DEFAULT 'default', priority int DEFAULT 0, run_at timestamptz DEFAULT NULL,
    max_attempts int DEFAULT NULL, timeout interval DEFAULT NULL, unique_key text DEFAULT NULL,
    headers jsonb DEFAULT NULL, id uuid DEFAULT NULL, delay interval DEFAULT NULL, unique_for interval DEFAULT NULL,
    on_conflict text DEFAULT NULL, max_delay interval DEFAULT NULL, limits jsonb DEFAULT NULL
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF unique_key IS NULL AND id IS NULL THEN
        RETURN (SELECT published FROM publish_many(
            ids => NULL, types => ARRAY[type], payloads => ARRAY[payload], queues => ARRAY[queue],
            priorities => ARRAY[priority], run_ats => CASE WHEN run_at IS NOT NULL THEN ARRAY[run_at] END,
            delays_ms => CASE WHEN delay IS NOT NULL THEN ARRAY[internal_check_span('delay', delay, 0)] END,
            max_attempts => ARRAY[max_attempts], timeouts_ms => ARRAY[internal_check_span('timeout', timeout, 1)],
            headers => ARRAY[headers::text],
            unique_for_ms => CASE WHEN unique_for IS NOT NULL
                THEN ARRAY[internal_check_span('unique_for', unique_for, 1)] END,
            on_conflicts => CASE WHEN on_conflict IS NOT NULL THEN ARRAY[on_conflict] END,
            max_delays_ms => CASE WHEN max_delay IS NOT NULL
                THEN ARRAY[internal_check_span('max_delay', max_delay, 1)] END,
            limits => CASE WHEN limits IS NOT NULL THEN ARRAY[limits::text] END) AS published);
    END IF;
    -- What publish_many would call, with fewer steps on the way.
    RETURN (SELECT o.id FROM publish_with_outcome(
        ids => ARRAY[id], types => ARRAY[type], payloads => ARRAY[payload], queues => ARRAY[queue],
        priorities => ARRAY[priority], run_ats => CASE WHEN run_at IS NOT NULL THEN ARRAY[run_at] END,
        delays_ms => CASE WHEN delay IS NOT NULL THEN ARRAY[internal_check_span('delay', delay, 0)] END,
        max_attempts => ARRAY[max_attempts], timeouts_ms => ARRAY[internal_check_span('timeout', timeout, 1)],
        unique_keys => ARRAY[unique_key], headers => ARRAY[headers::text],
        unique_for_ms => CASE WHEN unique_for IS NOT NULL
            THEN ARRAY[internal_check_span('unique_for', unique_for, 1)] END,
        on_conflicts => CASE WHEN on_conflict IS NOT NULL THEN ARRAY[on_conflict] END,
        max_delays_ms => CASE WHEN max_delay IS NOT NULL
            THEN ARRAY[internal_check_span('max_delay', max_delay, 1)] END,
        limits => CASE WHEN limits IS NOT NULL THEN ARRAY[limits::text] END) AS o);
END
$$;

-- An untyped literal takes the form above, which answers with JQ422 when it is no JSON.
CREATE OR REPLACE FUNCTION publish(
    type text, payload jsonb, queue text DEFAULT 'default', priority int DEFAULT 0, run_at timestamptz DEFAULT NULL,
    max_attempts int DEFAULT NULL, timeout interval DEFAULT NULL, unique_key text DEFAULT NULL,
    headers jsonb DEFAULT NULL, id uuid DEFAULT NULL, delay interval DEFAULT NULL, unique_for interval DEFAULT NULL,
    on_conflict text DEFAULT NULL, max_delay interval DEFAULT NULL, limits jsonb DEFAULT NULL
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN publish(type, payload::text, queue, priority, run_at, max_attempts, timeout, unique_key, headers, id, delay,
        unique_for, on_conflict, max_delay, limits);
END
$$;

REVOKE ALL ON FUNCTION publish(text, text, text, int, timestamptz, int, interval, text, jsonb, uuid, interval, interval,
    text, interval, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION publish(text, jsonb, text, int, timestamptz, int, interval, text, jsonb, uuid, interval,
    interval, text, interval, jsonb) FROM PUBLIC;
