-- Per queue and state: how many, how old the oldest, how long they waited, what the last hour brought.
-- COMPLETED and CANCELLED count the last hour only: the history is read by its time index, not as a whole.
CREATE OR REPLACE VIEW stats AS
WITH hour AS (
    SELECT queue, state, count(*) AS count, min(finished_at) AS oldest, avg(wait) AS average_wait,
        count(*) AS last_hour, avg(duration) AS average_duration
    FROM job_history WHERE finished_at > statement_timestamp() - interval '1 hour' GROUP BY queue, state
), dead AS (
    SELECT queue, 'DEAD' AS state, count(*) AS count, min(died_at) AS oldest,
        avg(claimed_at - greatest(run_at, created_at)) AS average_wait,
        count(*) FILTER (WHERE died_at > statement_timestamp() - interval '1 hour') AS last_hour,
        avg(died_at - claimed_at) AS average_duration
    FROM dead_letter GROUP BY queue
), live AS (
    SELECT queue, state, count(*) AS count,
        min(CASE state WHEN 'RUNNING' THEN claimed_at WHEN 'PENDING' THEN greatest(run_at, created_at)
            WHEN 'WAITING' THEN greatest(run_at, created_at) ELSE created_at END) AS oldest,
        avg(CASE state WHEN 'RUNNING' THEN claimed_at WHEN 'PENDING' THEN statement_timestamp()
            WHEN 'WAITING' THEN statement_timestamp() END
            - greatest(run_at, created_at)) AS average_wait,
        NULL::bigint AS last_hour, avg(statement_timestamp() - claimed_at) AS average_duration
    FROM live_job GROUP BY queue, state
)
SELECT queue, state, count, statement_timestamp() - oldest AS oldest, average_wait, last_hour, average_duration
FROM (SELECT * FROM live UNION ALL SELECT * FROM hour UNION ALL SELECT * FROM dead) AS all_states;
