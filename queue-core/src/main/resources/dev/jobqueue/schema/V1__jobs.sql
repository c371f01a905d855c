-- Live jobs. What a job is stands in job and is written once; where it stands is a narrow row elsewhere: in ready it is
-- PENDING, in scheduled SCHEDULED, in waiting WAITING, in a lease of its version RUNNING. Finished jobs leave for
-- job_history or dead_letter, so that claiming costs the same after a billion jobs as after ten.
--
-- Forward moves (scheduled -> ready or waiting -> lease) do not lock the job. Whoever moves a job back, or changes it
-- by its id, locks its row first and then looks for its place in exactly that order.
--
-- Lock order, everywhere: worker row, then leases of others (SKIP LOCKED), then job rows (in id order, or SKIP LOCKED),
-- then places, then what they hold of limits, then own leases, then the row of a dead letter, step, event or history,
-- then NOTIFY. A claim of jobs with limits locks turns (SKIP LOCKED), then the limits (in the order of their hashes,
-- and never for long), then entries of waiting (SKIP LOCKED), and no job but with SKIP LOCKED. A function that keeps
-- this order cannot deadlock with another.

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
    -- As published. Nobody looks into it here, so jsonb would be built and taken apart for nothing.
    payload json NOT NULL,
    -- NULL where there are none, like errors, steps and events: most jobs never have any.
    headers jsonb,
    -- Attempts that have ended and count.
    attempt int NOT NULL DEFAULT 0,
    -- Raised whenever the job is taken from whoever had it: what they still say of it is refused. An id that was used
    -- before (replayed, or chosen by its publisher) begins at a random one, so that it is not taken for the job of that
    -- time.
    version int NOT NULL DEFAULT 0,
    -- NULL where the publisher did not say: the type's retry policy counts, when it is needed.
    max_attempts int,
    timeout interval,
    unique_key text,
    created_at timestamptz NOT NULL,
    -- Of the running attempt, if it was extended; else it follows from its lease and timeout.
    timeout_at timestamptz,
    cancel_requested_at timestamptz,
    percent smallint,
    stage text,
    -- [{"attempt": 1, "at": "...", "error": "..."}, ...]
    errors jsonb,
    -- Counts, so that settling a job knows without looking whether job_step and job_event hold anything of it.
    steps int,
    events int,
    -- How often its worker stopped or vanished while it had it, without an attempt being counted; NULL for never.
    spared int
) WITH (
    -- A queue is small and churns: vacuum by rows changed, not by a share of a size that is stale anyway, and at once.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000,
    toast.autovacuum_vacuum_cost_delay = 0
);

CREATE UNIQUE INDEX job_unique_key ON job (type, unique_key) WHERE unique_key IS NOT NULL;

-- PENDING: what may be claimed now. A claim deletes from here and touches no job.
CREATE TABLE ready (
    -- Of the queue's name: keys that begin with a text take longer to compare.
    hash bigint NOT NULL,
    run_at timestamptz NOT NULL,
    id uuid NOT NULL,
    epoch int NOT NULL,
    -- The complement of the priority, so that the highest comes first.
    rank int NOT NULL,
    -- Bytes that a claim brings: the payload, the headers, and the results of the steps that are done.
    size int NOT NULL,
    type text NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

-- The order of claims. No two entries are the same, so looking for such whenever a page is full is in vain.
CREATE INDEX ready_claim ON ready (epoch, hash, rank, run_at, id) WITH (deduplicate_items = off);

-- SCHEDULED: what becomes ready at its time.
CREATE TABLE scheduled (LIKE ready) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX scheduled_due ON scheduled (epoch, run_at, id) WITH (deduplicate_items = off);
CREATE INDEX scheduled_queue ON scheduled (hash, run_at, id) WITH (deduplicate_items = off);

-- RUNNING: up to 64 jobs that one claim took from one queue, each under the version it had. A row goes when nothing of
-- it is left. The lease that a claim returns has the number and the version in it (internal_lease_numbers).
CREATE TABLE lease (
    number bigint NOT NULL PRIMARY KEY,
    worker_id uuid NOT NULL,
    queue text NOT NULL,
    claimed_at timestamptz NOT NULL,
    ids uuid[] NOT NULL,
    versions int[] NOT NULL,
    -- The earliest of its jobs; NULL if none has one.
    timeout_at timestamptz,
    -- Written by whoever published the jobs, and not confirmed by the worker yet: they have not begun (confirm).
    is_direct boolean NOT NULL DEFAULT false,
    CONSTRAINT lease_is_whole CHECK (cardinality(ids) = cardinality(versions))
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);

CREATE INDEX lease_worker ON lease (worker_id, number);
CREATE INDEX lease_timeout ON lease (timeout_at) WHERE timeout_at IS NOT NULL;

CREATE SEQUENCE lease_number;

-- Ids that publishers chose, for a day. A transaction with an old snapshot does not see a job that was published and
-- finished meanwhile; the primary key makes PostgreSQL fail it (40001) when it publishes the same id.
CREATE TABLE given_id (
    id uuid NOT NULL PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX given_id_at ON given_id (at);
