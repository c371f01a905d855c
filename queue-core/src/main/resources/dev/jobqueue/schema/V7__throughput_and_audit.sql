-- What people look at besides the jobs: how many ended in which time, dead letters grouped by error, and who did what.

-- Attempts that threw: one row for each queue and type in a call of fail_many. They cannot be counted elsewhere: the
-- errors of a job are in the row of the job, which may be tried for days before it ends.
CREATE TABLE failure (
    at timestamptz NOT NULL,
    queue text NOT NULL,
    type text NOT NULL,
    attempts int NOT NULL
);

CREATE INDEX failure_at ON failure (at);

-- How many jobs ended within a step of 10 seconds (kept for 15 minutes) or of 60 seconds (kept for 25 hours). In rows
-- with an empty queue or type, all queues or types are counted together, so that a query never adds up more rows than
-- there are steps. Written by measure.
CREATE TABLE throughput (
    step int NOT NULL,
    type text NOT NULL,
    queue text NOT NULL,
    at timestamptz NOT NULL,
    completed bigint NOT NULL,
    failed bigint NOT NULL,
    dead bigint NOT NULL,
    -- Sums over the completed jobs.
    wait_ms bigint NOT NULL,
    run_ms bigint NOT NULL,
    PRIMARY KEY (step, type, queue, at),
    CONSTRAINT throughput_step CHECK (step IN (10, 60))
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX throughput_at ON throughput (step, at);

-- Written by measure: all that ended before this time is counted. Not a column of setting, because complete_many and
-- others read that row each time: while somebody holds a snapshot, they would walk over all of its versions.
CREATE TABLE measured (
    only_row boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_row),
    upto timestamptz NOT NULL
);

-- Made from the queue, the type and the last error (internal_fingerprint). NULL in rows that are older than this
-- column, until measure gets to them.
ALTER TABLE dead_letter ADD COLUMN fingerprint text COLLATE "C";

CREATE INDEX dead_letter_fingerprint ON dead_letter (fingerprint, died_at, id);
CREATE INDEX dead_letter_without_fingerprint ON dead_letter (id) WHERE fingerprint IS NULL;

-- What people did. Each row is written in the transaction of the action. undo says how to take the action back; it is
-- NULL if that is not possible.
CREATE TABLE audit (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    target text,
    filter jsonb,
    jobs bigint NOT NULL,
    undo jsonb,
    undone_at timestamptz,
    undone_by text
);

CREATE INDEX audit_at ON audit (at);
