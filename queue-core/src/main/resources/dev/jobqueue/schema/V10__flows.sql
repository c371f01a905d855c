-- Batches and flows: jobs that belong together. A batch has members, any number of them; a flow has steps, each with
-- parents that it waits for. Whatever happens to one of them only leaves a tick, "look at this flow", so that nobody
-- waits for a row that others change as well. Only resolve takes ticks, and only resolve changes flow and flow_step.
-- It locks the row of a flow first, skips those that are locked, and reads and deletes their ticks after that.

-- Both kinds. The numbers are those of resolve, which may be behind what members did.
CREATE TABLE flow (
    id uuid NOT NULL PRIMARY KEY,
    kind text NOT NULL,
    name text NOT NULL,
    key text,
    -- Whether no other one may have its name and key: until it finishes for the first time.
    holds_key boolean NOT NULL DEFAULT true,
    state text NOT NULL DEFAULT 'RUNNING',
    -- The batch of which it is a member.
    parent uuid,
    -- Whether all are there but for those that members add.
    sealed boolean NOT NULL DEFAULT false,
    cancelling boolean NOT NULL DEFAULT false,
    -- Whether what is done is undone when it was cancelled.
    compensates boolean NOT NULL DEFAULT false,
    -- Raised whenever it goes on after it had finished.
    round int NOT NULL DEFAULT 1,
    total bigint NOT NULL DEFAULT 0,
    done bigint NOT NULL DEFAULT 0,
    dead bigint NOT NULL DEFAULT 0,
    cancelled bigint NOT NULL DEFAULT 0,
    -- Whether on_death and on_success were published.
    told_death boolean NOT NULL DEFAULT false,
    told_success boolean NOT NULL DEFAULT false,
    -- Jobs, as the JSON form of publish_many has them.
    on_success jsonb,
    on_finish jsonb,
    on_death jsonb,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- Why a callback could not be published, or why its ticks could not be taken; then they are left until that time.
    problem text,
    left_until timestamptz,
    CONSTRAINT flow_kind CHECK (kind IN ('BATCH', 'FLOW')),
    CONSTRAINT flow_state CHECK (state IN ('RUNNING', 'COMPENSATING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
    CONSTRAINT flow_finished CHECK ((finished_at IS NULL) = (state IN ('RUNNING', 'COMPENSATING')))
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

CREATE UNIQUE INDEX flow_key ON flow (kind, name, key) WHERE key IS NOT NULL AND holds_key;
CREATE INDEX flow_parent ON flow (parent) WHERE parent IS NOT NULL;
CREATE INDEX flow_unfinished ON flow (kind, name) WHERE finished_at IS NULL;
CREATE INDEX flow_finished_at ON flow (finished_at) WHERE finished_at IS NOT NULL;

-- A step is BLOCKED while it waits for parents. Its job is published when it is FREE, and has none before. A step that
-- waits for a signal or a time is FREE while it does, and never has a job.
CREATE TABLE flow_step (
    flow uuid NOT NULL,
    step int NOT NULL,
    name text NOT NULL,
    -- Of steps that others name together.
    group_name text,
    kind text NOT NULL,
    state text NOT NULL,
    job_id uuid NOT NULL,
    -- As the JSON form of publish_many has it; of a signal its timeout, of a timer its delay or time.
    spec jsonb NOT NULL,
    compensation jsonb,
    -- The step that this one undoes.
    compensates int,
    on_parent_dead text NOT NULL,
    -- Parents that keep it from being free; NULL until resolve has counted them.
    missing int,
    -- Whether it was cancelled because of a parent.
    by_parent boolean NOT NULL DEFAULT false,
    freed_at timestamptz,
    ended_at timestamptz,
    -- The number of the tick that ended it: the order of completion.
    ended_n bigint,
    problem text,
    PRIMARY KEY (flow, step),
    CONSTRAINT flow_step_kind CHECK (kind IN ('job', 'signal', 'timer')),
    CONSTRAINT flow_step_state CHECK (state IN ('BLOCKED', 'FREE', 'DONE', 'DEAD', 'CANCELLED')),
    CONSTRAINT flow_step_on_parent_dead CHECK (on_parent_dead IN ('CANCEL', 'RUN', 'WAIT'))
) WITH (
    -- A step changes twice at least, and its indexes need not know.
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0
);

-- Partial, so that only queries use it that say so. In a small table it looks as good as the primary key for finding a
-- step by its number, and such a plan, once made, walks over all of a large flow for each of its steps.
CREATE UNIQUE INDEX flow_step_name ON flow_step (flow, name) WHERE name <> '';
CREATE INDEX flow_step_group ON flow_step (flow, group_name, step) WHERE group_name IS NOT NULL;
CREATE INDEX flow_step_job ON flow_step (job_id);
CREATE INDEX flow_step_undone ON flow_step (flow, compensates) WHERE compensates IS NOT NULL;

CREATE TABLE flow_edge (
    flow uuid NOT NULL,
    parent int NOT NULL,
    child int NOT NULL,
    PRIMARY KEY (flow, parent, child)
);

-- Partial as flow_step_name is: only queries that say child > 0 use it.
CREATE INDEX flow_edge_child ON flow_edge (flow, child, parent) WHERE child > 0;

-- What steps returned, whatever becomes of the history; and signals, of which the first counts.
CREATE TABLE flow_result (
    flow uuid NOT NULL,
    step int NOT NULL,
    result jsonb NOT NULL
);

CREATE INDEX flow_result_step ON flow_result (flow, step);

CREATE TABLE flow_signal (
    flow uuid NOT NULL,
    name text NOT NULL,
    n bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    payload jsonb,
    at timestamptz NOT NULL
);

CREATE INDEX flow_signal_name ON flow_signal (flow, name, n);

-- Only inserted and deleted. ADDED, DONE, DEAD, CANCELLED: so many jobs, and which steps these are; less than 0 takes
-- it back. SEAL, CANCEL, COMPENSATE: of the whole; the last one also cancels. GO_ON: cancel the next thousand of it.
-- STOP: cancel these steps. SIGNAL: one came. TIMER, TIMEOUT: the time of these steps has come.
CREATE TABLE flow_tick (
    -- '-infinity' but for those that are for later.
    at timestamptz NOT NULL DEFAULT '-infinity',
    n bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    flow uuid NOT NULL,
    what text NOT NULL,
    jobs int NOT NULL DEFAULT 0,
    steps int[],
    -- Of the transaction that left it.
    xid xid8 NOT NULL DEFAULT pg_current_xact_id()
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX flow_tick_next ON flow_tick (at, n) WITH (deduplicate_items = off);
CREATE INDEX flow_tick_xid ON flow_tick (xid);

-- While somebody holds an old snapshot, ticks that were taken cannot go away, and a search from the first one walks
-- over all of them. So one that took long notes how far it came: no tick up to this number is left, but for those of
-- transactions that were not to be seen then. The newest row counts; each stays true for ever.
CREATE TABLE flow_mark (
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    upto bigint NOT NULL,
    seen pg_snapshot NOT NULL
);

-- NULL for jobs that belong to nothing. flow_step is NULL for members of a batch.
ALTER TABLE job ADD COLUMN flow uuid, ADD COLUMN flow_step int;
ALTER TABLE dead_letter ADD COLUMN flow uuid, ADD COLUMN flow_step int;
ALTER TABLE job_history ADD COLUMN flow uuid, ADD COLUMN flow_step int;

CREATE INDEX job_flow ON job (flow, id) WHERE flow IS NOT NULL;
CREATE INDEX dead_letter_flow ON dead_letter (flow, died_at, id) WHERE flow IS NOT NULL;

-- What a tick needs to know of a job that ended.
CREATE TYPE linked AS (flow uuid, step int, result jsonb);

-- Slots that a worker has free for steps, by queue, and under which leases it takes these. It handles these types.
CREATE TYPE free_slots AS (worker_id uuid, types text[], queues text[], slots int[], leases bigint[]);

-- They get more arguments, or return more.
DROP FUNCTION IF EXISTS publish_many(uuid[], text[], text[], text[], int[], timestamptz[], bigint[], int[], bigint[],
    text[], text[], boolean, boolean, uuid, bigint[], bigint[], text[], bigint[], text[]);
DROP FUNCTION IF EXISTS find_job(uuid);
DROP FUNCTION IF EXISTS claim(uuid, text[], int[], text[], bigint);
DROP FUNCTION IF EXISTS confirm(uuid, bigint[]);
DROP FUNCTION IF EXISTS internal_lease(uuid, text, uuid[]);
DROP FUNCTION IF EXISTS find_limits();
DROP FUNCTION IF EXISTS find_lanes(text, text, int);
