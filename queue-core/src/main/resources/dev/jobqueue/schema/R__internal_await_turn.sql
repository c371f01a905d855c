-- Lets no more than two large claims of a queue go at the same time: each stumbles over the rows the others are taking, and
-- many of them together would be slower than one. A courtesy, not a lock: whoever had to wait for long goes all the same,
-- say because somebody claimed by hand and has not committed.
CREATE OR REPLACE FUNCTION internal_await_turn(queue text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '100ms'
AS $$
DECLARE
    key constant bigint := hashtextextended(current_schema() || ' claims ' || queue, 0);
BEGIN
    IF NOT pg_try_advisory_xact_lock(key) AND NOT pg_try_advisory_xact_lock(key + 1) THEN
        PERFORM pg_advisory_xact_lock(key + pg_backend_pid() % 2);
    END IF;
EXCEPTION WHEN lock_not_available THEN
    NULL;
END
$$;

REVOKE ALL ON FUNCTION internal_await_turn(text) FROM PUBLIC;
