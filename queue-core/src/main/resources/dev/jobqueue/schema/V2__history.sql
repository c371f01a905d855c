-- Finished jobs. Those that are COMPLETED or CANCELLED are in job_history, which has a partition for each day (UTC) on
-- which jobs finished. Those that are DEAD are in dead_letter.

CREATE TABLE job_history (
    id uuid NOT NULL,
    queue text NOT NULL,
    type text NOT NULL,
    state text NOT NULL,
    priority int NOT NULL,
    run_at timestamptz NOT NULL,
    payload json NOT NULL,
    headers jsonb,
    attempt int NOT NULL,
    -- As published: NULL if the publisher left it to the retry policy.
    max_attempts int,
    timeout interval,
    unique_key text,
    created_at timestamptz NOT NULL,
    worker_id uuid,
    claimed_at timestamptz,
    errors jsonb,
    steps int,
    events int,
    result jsonb,
    finished_at timestamptz NOT NULL,
    -- Written by whoever inserts the row. PostgreSQL would prepare the expression of a generated column, or of a check,
    -- anew for each statement that inserts, which takes longer than inserting a row.
    wait interval,
    duration interval
) PARTITION BY RANGE (finished_at);

CREATE INDEX job_history_id ON job_history (id);
CREATE INDEX job_history_finished_at ON job_history USING brin (finished_at)
    WITH (pages_per_range = 16, autosummarize = on);
-- Finds the jobs whose steps and events are deleted when a partition is dropped.
CREATE INDEX job_history_extras ON job_history (id) WHERE steps > 0 OR events > 0;

-- Takes jobs that finish on a day without a partition, so that no completion fails.
CREATE TABLE job_history_default PARTITION OF job_history DEFAULT;

CREATE TABLE dead_letter (
    id uuid NOT NULL PRIMARY KEY,
    queue text NOT NULL,
    type text NOT NULL,
    priority int NOT NULL,
    run_at timestamptz NOT NULL,
    payload json NOT NULL,
    headers jsonb,
    attempt int NOT NULL,
    max_attempts int NOT NULL,
    timeout interval,
    unique_key text,
    created_at timestamptz NOT NULL,
    worker_id uuid,
    claimed_at timestamptz,
    errors jsonb NOT NULL,
    steps int,
    events int,
    reason text NOT NULL,
    died_at timestamptz NOT NULL
) WITH (
    -- The dashboard counts them, and a scan of the index alone needs vacuumed pages.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000
);

CREATE INDEX dead_letter_queue ON dead_letter (queue, died_at);
-- With the queue, so that dead letters of a type in a queue are counted without reading them.
CREATE INDEX dead_letter_type ON dead_letter (type, died_at) INCLUDE (queue);
CREATE INDEX dead_letter_died_at ON dead_letter (died_at, id);
