-- Live jobs: SCHEDULED, PENDING, RUNNING. Finished ones leave for job_history or dead_letter, so that claiming
-- costs the same after a billion jobs as after ten.
--
-- Lock order, everywhere: worker row, then the turn of a large claim (waited for a moment only), then job rows (in id
-- order, or SKIP LOCKED), then the row of a dead letter, step, event or history, then rewind, then NOTIFY. A function that keeps this order cannot deadlock with another.

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

-- The states of the table job. A domain, and no CHECK of the table: PostgreSQL parses those anew in every statement that
-- writes a job, each a fifth of what publishing one costs. The usual state comes first, and ends the look.
CREATE DOMAIN live_state AS text
    CONSTRAINT job_is_live CHECK (VALUE = 'PENDING' OR VALUE = 'RUNNING' OR VALUE = 'SCHEDULED');

-- No foreign keys from or to job: their triggers cost on every row that passes through. Lease, worker and time of claim are
-- there while a job is RUNNING, and only then. The functions see to it; an owner who writes rows by hand has to as well.
CREATE TABLE job (
    id uuid NOT NULL PRIMARY KEY,
    queue text NOT NULL DEFAULT 'default',
    type text NOT NULL,
    state live_state NOT NULL DEFAULT 'PENDING',
    priority int NOT NULL DEFAULT 0,
    -- The transaction id comes first: run_at is then never older than the transaction (internal_look_back).
    run_at timestamptz NOT NULL DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp() END,
    -- As published. Nobody looks into it here, so jsonb would be built and taken apart for nothing.
    payload json NOT NULL,
    -- NULL where there are none, like errors, steps and events: most jobs never have any.
    headers jsonb,
    attempt int NOT NULL DEFAULT 0,
    -- NULL where the publisher did not say: the claim takes both from the type's retry policy.
    max_attempts int,
    timeout interval,
    unique_key text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease bigint,
    worker_id uuid,
    claimed_at timestamptz,
    timeout_at timestamptz,
    cancel_requested_at timestamptz,
    percent smallint,
    stage text,
    -- [{"attempt": 1, "at": "...", "error": "..."}, ...]
    errors jsonb,
    -- Counts, so that settling a job knows without looking whether job_step and job_event hold anything of it.
    steps int,
    events int,
    -- How often its worker stopped while it ran; NULL for never. Such attempts do not count, but not for ever (release).
    interrupted int
) WITH (
    -- Room on the page for progress, the one update that changes nothing indexed (HOT).
    fillfactor = 90,
    -- A queue is small and churns: vacuum by rows changed, not by a share of a size that is stale anyway, and at once.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000,
    toast.autovacuum_vacuum_cost_delay = 0
);

-- The claim's order, pending jobs only: jobs of the future and running ones never sit in its way. By a hash of the queue's
-- name, because keys that begin with a text take longer to compare, and every insert compares eight: whoever looks for the
-- pending jobs of a queue names the hash too. No two entries are the same, so looking for such whenever a page is full is in vain.
CREATE INDEX job_claim ON job (hashtextextended(queue, 0), priority DESC, run_at, id)
WITH (deduplicate_items = off) WHERE state = 'PENDING';
CREATE INDEX job_due ON job (run_at) WHERE state = 'SCHEDULED';
-- Running jobs, by predicates that are cheap to look at for every job that is inserted.
CREATE INDEX job_running ON job (worker_id) WHERE worker_id IS NOT NULL;
CREATE INDEX job_timeout ON job (timeout_at) WHERE timeout_at IS NOT NULL;
CREATE UNIQUE INDEX job_unique_key ON job (type, unique_key) WHERE unique_key IS NOT NULL;

-- Ids that publishers chose, for a day. A transaction with an old snapshot does not see a job that was published and
-- finished meanwhile; the primary key makes PostgreSQL fail it (40001) when it publishes the same id.
CREATE TABLE given_id (
    id uuid NOT NULL PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX given_id_at ON given_id (at);

CREATE SEQUENCE lease_number;
-- Where claims have come (internal_lead).
CREATE SEQUENCE claim_lead MINVALUE -9223372036854775808 START 0;
CREATE SEQUENCE claim_lead_check MINVALUE -9223372036854775808 START 0;

-- "Jobs of this queue, due since run_at, became pending just now": tells claims that remember a later position to look
-- back that far (see internal_look_back). Rows live for a minute.
CREATE TABLE rewind (
    id bigint GENERATED ALWAYS AS IDENTITY,
    queue text NOT NULL,
    run_at timestamptz NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (queue, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

-- What a session remembers of a queue between two claims (internal_find); kept in a session setting, as JSON.
CREATE TYPE internal_position AS (
    priority int, run_at timestamptz, id uuid,
    follows boolean  -- whether to go on where other sessions are by now: not before everything behind them was looked at
);
CREATE TYPE internal_memory AS (
    positions internal_position[],  -- where to go on, by priority, highest first
    settled timestamptz,            -- transactions in progress publish nothing older, but for the long ones
    marked_at timestamptz,          -- transactions newer than marked_xid publish nothing older
    marked_xid xid8,
    long_xids xid8[],               -- transactions open for a second or more ...
    long_since timestamptz[],       -- ... and the oldest run_at each can have published
    rewinds bigint[],               -- rows of rewind seen, and the highest of them ever
    last_rewind bigint,
    walked_at timestamptz,          -- when a claim last walked from the very start, and for how long
    walk_seconds float8
);
