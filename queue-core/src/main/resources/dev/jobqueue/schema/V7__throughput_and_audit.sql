-- What people look at beside the jobs themselves: what ended over time, dead letters by their error, and who did what.

-- Attempts that threw, one row for each queue and type that a call of fail_many tells of. Nothing else keeps them: the
-- errors of a job stand in the job, which may be tried for days.
CREATE TABLE failure (
    at timestamptz NOT NULL,
    queue text NOT NULL,
    type text NOT NULL,
    attempts int NOT NULL
);

CREATE INDEX failure_at ON failure (at);

-- What ended within a step of 10 seconds (kept for 15 minutes) or of 60 (kept for 25 hours). An empty queue or type
-- stands for all of them, so that no look adds up more rows than there are steps. Written by measure.
CREATE TABLE throughput (
    step int NOT NULL,
    type text NOT NULL,
    queue text NOT NULL,
    at timestamptz NOT NULL,
    completed bigint NOT NULL,
    failed bigint NOT NULL,
    dead bigint NOT NULL,
    -- Sums over the completed ones.
    wait_ms bigint NOT NULL,
    run_ms bigint NOT NULL,
    PRIMARY KEY (step, type, queue, at),
    CONSTRAINT throughput_step CHECK (step IN (10, 60))
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX throughput_at ON throughput (step, at);

-- Bookkeeping of measure: what ended up to here is counted. Not in setting, which every settlement reads: while
-- somebody holds a snapshot, it would walk over all versions of the row.
CREATE TABLE measured (
    only_row boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_row),
    upto timestamptz NOT NULL
);

-- Of queue, type and last error (internal_fingerprint); NULL until measure gets to a row that is older than the column.
ALTER TABLE dead_letter ADD COLUMN fingerprint text COLLATE "C";

CREATE INDEX dead_letter_fingerprint ON dead_letter (fingerprint, died_at, id);
CREATE INDEX dead_letter_without_fingerprint ON dead_letter (id) WHERE fingerprint IS NULL;

-- What people did, each row written in the transaction of the action. undo says what would take it back; NULL if
-- nothing can.
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
