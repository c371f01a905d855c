-- Live jobs. The table job has the data of a job, which is written once. The state of a job follows from its place,
-- which is where its id stands: a narrow row in ready (PENDING), in scheduled (SCHEDULED), in waiting (WAITING), or in
-- a lease that names its current version (RUNNING). Finished jobs move to job_history or dead_letter, so that claiming
-- costs the same after a billion jobs as after ten.
--
-- Forward moves (scheduled -> ready or waiting -> lease) do not lock the row in job. A function that moves a job back,
-- or changes it by its id, first locks that row and then looks for its place, in the order of the forward moves.
--
-- Lock order, everywhere:
--   1. the worker's row
--   2. leases of others (SKIP LOCKED)
--   3. rows of job (in the order of their ids, or SKIP LOCKED)
--   4. places
--   5. what the jobs hold of limits
--   6. own leases
--   7. rows of dead letters, steps, events and history
--   8. NOTIFY
-- A claim of jobs with limits locks turns (SKIP LOCKED), then the limits (in the order of their hashes, and never for
-- long), then entries of waiting (SKIP LOCKED). It locks rows of job only with SKIP LOCKED. Functions that keep this
-- order cannot deadlock with each other.

CREATE TABLE job_state (
    state text PRIMARY KEY,
    is_terminal boolean NOT NULL,
    is_claimable boolean NOT NULL
);

INSERT INTO job_state (state, is_terminal, is_claimable) VALUES
    ('SCHEDULED', false, false),
    ('PENDING', false, true),
    ('RUNNING', false, false),
    ('COMPLETED', true, false),
    ('CANCELLED', true, false),
    ('DEAD', true, false);

-- No foreign keys from or to job: their triggers cost on every row that passes through.
CREATE TABLE job (
    id uuid NOT NULL PRIMARY KEY,
    queue text NOT NULL,
    type text NOT NULL,
    priority int NOT NULL,
    run_at timestamptz NOT NULL,
    -- As published. No function reads its fields, so converting it to jsonb and back would be wasted.
    payload json NOT NULL,
    -- NULL if there are none. The same holds for errors, steps and events: most jobs never have any.
    headers jsonb,
    -- How many attempts have ended, without those that do not count.
    attempt int NOT NULL DEFAULT 0,
    -- Raised whenever the job is taken from a worker, so that later calls of that worker for it are refused. A job
    -- whose id may have been used before (it was replayed, or its publisher chose the id) begins at a random version,
    -- so that a lease of the former job with this id does not fit.
    version int NOT NULL DEFAULT 0,
    -- NULL if the publisher did not set it: then the retry policy of the type counts, as it is at that time.
    max_attempts int,
    timeout interval,
    unique_key text,
    created_at timestamptz NOT NULL,
    -- When the running attempt times out, if it was extended; otherwise that follows from its lease and timeout.
    timeout_at timestamptz,
    cancel_requested_at timestamptz,
    percent smallint,
    stage text,
    -- [{"attempt": 1, "at": "...", "error": "..."}, ...]
    errors jsonb,
    -- How many rows of job_step and job_event the job has, so that settling it need not look there if there are none.
    steps int,
    events int,
    -- How often a worker stopped or vanished while it had the job, without an attempt being counted; NULL for never.
    spared int
) WITH (
    -- The table is small and changes all the time. So vacuum after a number of changed rows, not after a share of the
    -- estimated size, which is mostly outdated; and without pauses.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000,
    toast.autovacuum_vacuum_cost_delay = 0
);

CREATE UNIQUE INDEX job_unique_key ON job (type, unique_key) WHERE unique_key IS NOT NULL;

-- PENDING: jobs that may be claimed now. A claim deletes rows here, and does not touch the rows in job.
CREATE TABLE ready (
    -- The hash of the name of the queue. Index keys that begin with a text would take longer to compare.
    hash bigint NOT NULL,
    run_at timestamptz NOT NULL,
    id uuid NOT NULL,
    epoch int NOT NULL,
    -- The complement of the priority, so that the highest comes first.
    rank int NOT NULL,
    -- How many bytes a claim of this job returns: the payload, the headers, and the results of its finished steps.
    size int NOT NULL,
    type text NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

-- The order of claims. No two entries are equal, so PostgreSQL need not look for duplicates when a page is full.
CREATE INDEX ready_claim ON ready (epoch, hash, rank, run_at, id) WITH (deduplicate_items = off);

-- SCHEDULED: jobs that become ready at their time.
CREATE TABLE scheduled (LIKE ready) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX scheduled_due ON scheduled (epoch, run_at, id) WITH (deduplicate_items = off);
CREATE INDEX scheduled_queue ON scheduled (hash, run_at, id) WITH (deduplicate_items = off);

-- RUNNING: up to 64 jobs that one claim took from one queue, each with the version that it had then. A row is deleted
-- when none of its jobs is left. The lease that a claim returns contains the number and the version
-- (internal_lease_numbers).
CREATE TABLE lease (
    number bigint NOT NULL PRIMARY KEY,
    worker_id uuid NOT NULL,
    queue text NOT NULL,
    claimed_at timestamptz NOT NULL,
    ids uuid[] NOT NULL,
    versions int[] NOT NULL,
    -- The earliest timeout of its jobs; NULL if none has a timeout.
    timeout_at timestamptz,
    -- Whether the publisher of the jobs wrote it, and the worker has not confirmed it yet (confirm). Its jobs have not
    -- begun.
    is_direct boolean NOT NULL DEFAULT false,
    CONSTRAINT lease_is_whole CHECK (cardinality(ids) = cardinality(versions))
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);

CREATE INDEX lease_worker ON lease (worker_id, number);
CREATE INDEX lease_timeout ON lease (timeout_at) WHERE timeout_at IS NOT NULL;

CREATE SEQUENCE lease_number;

-- Ids that publishers chose, kept for a day. A transaction with an old snapshot does not see a job that was published
-- and finished since then. If it publishes the same id, the primary key makes PostgreSQL fail it (40001).
CREATE TABLE given_id (
    id uuid NOT NULL PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX given_id_at ON given_id (at);
