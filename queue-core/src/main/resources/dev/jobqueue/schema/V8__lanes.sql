-- Limits: how many jobs of a kind run at once, how many start within a period, and in which order. The words:
--   limit  a rule with a name
--   gate   a limit together with a key, for which jobs are counted; called a lane where people see it
--   line   the jobs that have to pass the same gates; they are WAITING there, in the order in which they start
--   turn   a note for claims: look at this line
-- Only a claim lets jobs pass gates (internal_admit). It locks each of the limits until its transaction ends. All other
-- functions only leave a turn, and do not look at the line themselves: they would not see what a claim does meanwhile.

INSERT INTO job_state (state, is_terminal, is_claimable) VALUES ('WAITING', false, false);

CREATE TABLE job_limit (
    name text NOT NULL PRIMARY KEY,
    kind text NOT NULL,
    -- How many jobs of a key may run at once; NULL for any number. FIFO: how long a series may be: so many jobs that
    -- follow each other may go to one worker with one claim, and the worker handles them one after the other.
    running int,
    -- How many jobs of a key may start in a period, and how many of these at once (burst).
    rate int,
    period interval,
    burst int,
    at_limit text NOT NULL,
    on_dead text NOT NULL,
    -- FAIR: how many jobs of a key start when it is the turn of this key, by key; "*" for all other keys.
    weights jsonb,
    owner text,
    CONSTRAINT job_limit_kind CHECK (kind IN ('LIMIT', 'FIFO', 'FAIR')),
    CONSTRAINT job_limit_running CHECK (running >= 1),
    CONSTRAINT job_limit_rate CHECK (rate >= 1 AND burst >= 1 AND period > '0' AND period <= '3650 days'),
    CONSTRAINT job_limit_whole_rate CHECK ((rate IS NULL) = (period IS NULL) AND (rate IS NULL) = (burst IS NULL)),
    CONSTRAINT job_limit_at_limit CHECK (at_limit IN ('WAIT', 'DROP', 'REPLACE', 'CANCEL_RUNNING')),
    CONSTRAINT job_limit_on_dead CHECK (on_dead IN ('BLOCK', 'CONTINUE'))
);

-- To which jobs a limit applies: to those of a type, or to those in a queue. The key of a job is found by a path in its
-- payload (account.id) or in a header (header:tenant). NULL means that all jobs share one key.
CREATE TABLE limit_use (
    type text,
    queue text,
    name text NOT NULL,
    key text,
    owner text,
    CONSTRAINT limit_use_of_one CHECK ((type IS NULL) <> (queue IS NULL))
);

CREATE UNIQUE INDEX limit_use_type ON limit_use (type, name) WHERE type IS NOT NULL;
CREATE UNIQUE INDEX limit_use_queue ON limit_use (queue, name) WHERE queue IS NOT NULL;

-- All NULL for jobs without limits. limits has the names in order; limit_keys and gates have the key and the gate of
-- each. seq is the order of publishing, for FIFO.
ALTER TABLE job ADD COLUMN limits text[], ADD COLUMN limit_keys text[], ADD COLUMN gates bigint[],
    ADD COLUMN line bigint, ADD COLUMN seq bigint;
ALTER TABLE dead_letter ADD COLUMN limits text[], ADD COLUMN limit_keys text[], ADD COLUMN gates bigint[],
    ADD COLUMN line bigint, ADD COLUMN seq bigint;
ALTER TABLE job_history ADD COLUMN limits text[], ADD COLUMN limit_keys text[];

-- Written by internal_tend_lines: the line up to which it has looked.
ALTER TABLE setting ADD COLUMN tended_to bigint NOT NULL DEFAULT -9223372036854775808;

-- The line that a job joins when it is due; NULL if it goes to ready.
ALTER TABLE scheduled ADD COLUMN line bigint;

CREATE SEQUENCE line_seq;

-- What has to be known of a job to put it into a line.
CREATE TYPE limited AS (
    id uuid, queue text, type text, limits text[], keys text[], gates bigint[], line bigint, seq bigint
);

-- WAITING: jobs in lines, in the order in which they start. Entries belong to epochs, as in ready.
CREATE TABLE waiting (
    line bigint NOT NULL,
    -- When the job is due. In a FIFO line, a time made from the order of publishing (internal_place_in_line).
    place timestamptz NOT NULL,
    id uuid NOT NULL,
    epoch int NOT NULL,
    -- As in ready. All jobs of a FIFO line have 0, except for those that come back to the front of the line.
    rank int NOT NULL,
    hash bigint NOT NULL,
    run_at timestamptz NOT NULL,
    size int NOT NULL,
    type text NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX waiting_line ON waiting (epoch, line, rank, place, id) WITH (deduplicate_items = off);
CREATE INDEX waiting_queue ON waiting (hash, run_at, id) WITH (deduplicate_items = off);

-- Jobs that passed a gate and have not ended, for gates that limit how many run at once. Only internal_admit writes
-- rows, under the lock of the limit, so that later rows of a gate have greater numbers. A job of a FIFO line keeps its
-- row until it has ended: while it waits for its next attempt and, if dead letters block the line, while it is one.
-- Nothing passes the gate of a FIFO then, unless all that hold it are back at the front of the line (internal_is_back).
CREATE TABLE held (
    gate bigint NOT NULL,
    n bigint NOT NULL,
    id uuid NOT NULL,
    line bigint NOT NULL,
    name text NOT NULL,
    -- Whether the end of the job leaves a turn for its line, because other jobs waited there when it passed.
    tells boolean NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX held_gate ON held (gate, n) WITH (deduplicate_items = off);
CREATE INDEX held_id ON held (id) WITH (deduplicate_items = off);

CREATE SEQUENCE admission;

-- Notes for claims. A turn with a line means: look at this line; it is for claims of the queue of the line. A turn
-- without a line and with the hash 0 means: look at the lines in hung that wait for these gates, which are all of one
-- limit; it is for any claim. A turn whose time is ahead waits for a gate that opens at that time. Rows are only
-- inserted and deleted; only upkeep updates one, to move it out of an old epoch.
CREATE TABLE turn (
    hash bigint NOT NULL,
    at timestamptz NOT NULL,
    epoch int NOT NULL,
    line bigint,
    -- The type of the first job of the line; '' if it is not known and has to be looked up.
    type text NOT NULL DEFAULT '',
    limits text[] NOT NULL,
    gates bigint[] NOT NULL,
    -- Whether the jobs of the line may differ in types and gates, as in a FIFO line.
    is_mixed boolean NOT NULL DEFAULT false
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX turn_next ON turn (epoch, hash, at) WITH (deduplicate_items = off);

-- Lines that a claim found blocked by a gate, and that no turn is sure to follow for: some of the jobs that hold the
-- gate leave no turn for the line when they end, or the gate opens at a certain time.
CREATE TABLE hung (
    gate bigint NOT NULL,
    n bigint NOT NULL,
    hash bigint NOT NULL,
    line bigint NOT NULL,
    type text NOT NULL,
    limits text[] NOT NULL,
    gates bigint[] NOT NULL,
    is_mixed boolean NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX hung_gate ON hung (gate, hash, type, n) WITH (deduplicate_items = off);
CREATE INDEX hung_line ON hung (line, gate) WITH (deduplicate_items = off);

-- What is remembered of a gate. The newest row counts, and only internal_admit writes rows. They are never updated:
-- while somebody holds an old snapshot, a search would walk over all versions of a row.
CREATE TABLE mark (
    gate bigint NOT NULL,
    n bigint NOT NULL,
    -- When the next job could have started if all starts so far had come at the even pace of the rate (GCRA).
    paced_to timestamptz,
    -- No row of held with a smaller number is left.
    floor bigint NOT NULL DEFAULT 0,
    -- When the next turn for this gate is due.
    timer timestamptz
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX mark_newest ON mark (gate, n) WITH (deduplicate_items = off);

-- Gates that no job may pass before a time. If there are several rows, the latest time counts. The name of the limit
-- and the key are for people: a gate does not tell them.
CREATE TABLE closing (
    gate bigint NOT NULL,
    until timestamptz NOT NULL,
    name text NOT NULL,
    key text NOT NULL
);

CREATE INDEX closing_gate ON closing (gate, until);
CREATE INDEX closing_name ON closing (name, key);

-- Dropped because they get further arguments, or return further columns.
DROP FUNCTION IF EXISTS publish(text, text, text, int, timestamptz, int, interval, text, jsonb, uuid);
DROP FUNCTION IF EXISTS publish(text, jsonb, text, int, timestamptz, int, interval, text, jsonb, uuid);
DROP FUNCTION IF EXISTS publish_many(uuid[], text[], text[], text[], int[], timestamptz[], bigint[], int[], bigint[],
    text[], text[], boolean, boolean, uuid, bigint[]);
DROP FUNCTION IF EXISTS internal_publish_once(int, timestamptz, uuid[], text[], json[], text[], int[], timestamptz[],
    bigint[], int[], bigint[], text[], jsonb[], boolean);
DROP FUNCTION IF EXISTS internal_put_new(uuid[], int, timestamptz);
DROP FUNCTION IF EXISTS internal_advance(bigint, text[], boolean);
DROP FUNCTION IF EXISTS figures(int, interval);
DROP FUNCTION IF EXISTS find_job(uuid);
DROP FUNCTION IF EXISTS claim(uuid, text[], int[], text[], bigint);
DROP FUNCTION IF EXISTS confirm(uuid, bigint[]);
DROP FUNCTION IF EXISTS internal_lease(uuid, text, uuid[]);
