-- Limits: how many jobs of a kind run at once, how many start in a time, in which order. A limit is a rule with a name.
-- What it counts is a gate, the limit with a key; people see it as a lane. A job with limits stands in a line, with
-- others that pass the same gates, and is WAITING there. Only a claim lets jobs pass (internal_admit), under a lock of
-- each limit that is held until its transaction ends. All others only leave a turn, "look at this line", and never look
-- themselves: they would miss what a claim does at the same time.

INSERT INTO job_state (state, is_terminal, is_claimable) VALUES ('WAITING', false, false);

CREATE TABLE job_limit (
    name text NOT NULL PRIMARY KEY,
    kind text NOT NULL,
    -- At once; NULL for any number. FIFO means one.
    running int,
    -- So many starts in a period, burst of them at once.
    rate int,
    period interval,
    burst int,
    at_limit text NOT NULL,
    on_dead text NOT NULL,
    -- How many jobs of a key start in its turn, by key; "*" for all others.
    weights jsonb,
    owner text,
    CONSTRAINT job_limit_kind CHECK (kind IN ('LIMIT', 'FIFO', 'FAIR')),
    CONSTRAINT job_limit_running CHECK (running >= 1),
    CONSTRAINT job_limit_rate CHECK (rate >= 1 AND burst >= 1 AND period > '0' AND period <= '10 years'),
    CONSTRAINT job_limit_whole_rate CHECK ((rate IS NULL) = (period IS NULL) AND (rate IS NULL) = (burst IS NULL)),
    CONSTRAINT job_limit_at_limit CHECK (at_limit IN ('WAIT', 'DROP', 'REPLACE', 'CANCEL_RUNNING')),
    CONSTRAINT job_limit_on_dead CHECK (on_dead IN ('BLOCK', 'CONTINUE'))
);

-- Which jobs belong to a limit: those of a type, or in a queue. The key is a path in the payload (account.id), a header
-- (header:tenant), or NULL for one key that all share.
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

-- NULL for jobs without limits. limits are names in their order, with a key and a gate each. seq is the order of
-- publishing, for FIFO.
ALTER TABLE job ADD COLUMN limits text[], ADD COLUMN limit_keys text[], ADD COLUMN gates bigint[],
    ADD COLUMN line bigint, ADD COLUMN seq bigint;
ALTER TABLE dead_letter ADD COLUMN limits text[], ADD COLUMN limit_keys text[], ADD COLUMN gates bigint[],
    ADD COLUMN line bigint, ADD COLUMN seq bigint;
ALTER TABLE job_history ADD COLUMN limits text[], ADD COLUMN limit_keys text[];

-- Bookkeeping of internal_tend_lines: how far it has come.
ALTER TABLE setting ADD COLUMN tended_to bigint NOT NULL DEFAULT -9223372036854775808;

-- Where a job goes when it is due.
ALTER TABLE scheduled ADD COLUMN line bigint;

CREATE SEQUENCE line_seq;

-- What lines need to know of a job.
CREATE TYPE limited AS (
    id uuid, queue text, type text, limits text[], keys text[], gates bigint[], line bigint, seq bigint
);

-- WAITING: jobs in lines, in the order in which they start. Entries belong to epochs like those of ready.
CREATE TABLE waiting (
    line bigint NOT NULL,
    -- The time it is due; for FIFO one made from the order of publishing (internal_place_in_line).
    place timestamptz NOT NULL,
    id uuid NOT NULL,
    epoch int NOT NULL,
    -- As in ready; the same for all of a FIFO line, but for a job that comes back to its front.
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

-- Who has passed a gate that counts, and is not done. Written by internal_admit only, under the limit's lock, so that
-- the numbers of a gate rise. A job of a FIFO line keeps its row while it waits for its next attempt.
CREATE TABLE held (
    gate bigint NOT NULL,
    n bigint NOT NULL,
    id uuid NOT NULL,
    line bigint NOT NULL,
    name text NOT NULL,
    -- Whether its end leaves a turn for its line, because others waited there when it passed.
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

-- "Look at this line", for claims of its queue; or, without a line and with the hash 0, "look who hangs on these
-- gates", all of one limit, for any claim. Only inserted and deleted. One with a time ahead waits for a gate that opens
-- then.
CREATE TABLE turn (
    hash bigint NOT NULL,
    at timestamptz NOT NULL,
    epoch int NOT NULL,
    line bigint,
    -- Of the job that comes next; '' if that has to be looked up.
    type text NOT NULL DEFAULT '',
    limits text[] NOT NULL,
    gates bigint[] NOT NULL,
    -- Whether jobs of the line may have several types and gates, as those of FIFO.
    is_mixed boolean NOT NULL DEFAULT false
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX turn_next ON turn (epoch, hash, at) WITH (deduplicate_items = off);

-- Lines that were found blocked by a gate which others hold than jobs that tell them, or which opens at a time.
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

-- What is remembered of a gate, the newest row of each; written by internal_admit only. Never updated: versions of a
-- row would be walked over while somebody holds an old snapshot.
CREATE TABLE mark (
    gate bigint NOT NULL,
    n bigint NOT NULL,
    -- When the starts so far would be over if they had come at the limit's pace (GCRA).
    paced_to timestamptz,
    -- No row of held with a lesser number is left.
    floor bigint NOT NULL DEFAULT 0,
    -- The next time at which a turn is due for it.
    timer timestamptz
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX mark_newest ON mark (gate, n) WITH (deduplicate_items = off);

-- Gates that let nobody pass until then; the latest counts.
CREATE TABLE closing (
    gate bigint NOT NULL,
    until timestamptz NOT NULL
);

CREATE INDEX closing_gate ON closing (gate, until);

-- They get more arguments, or return more.
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
