-- Recurring jobs: when each is published next, and what was published last. The expression is evaluated by the nodes;
-- the clock is the database's alone.
--
-- Lock order: the row of a schedule comes before all that V1 names, because firing one publishes a job.

CREATE TABLE schedule (
    name text NOT NULL PRIMARY KEY,
    type text NOT NULL,
    payload jsonb NOT NULL,
    queue text NOT NULL,
    priority int NOT NULL,
    headers jsonb NOT NULL DEFAULT '{}',
    max_attempts int,
    timeout interval,
    cron text,
    every interval,
    zone text NOT NULL,
    misfire text NOT NULL,
    overlap text NOT NULL,
    -- Where it is defined, and by which application. Only the nodes of its owner fire it, if it has one; and one that
    -- vanished from the code of its owner is retired.
    origin text NOT NULL,
    owner text,
    paused_at timestamptz,
    retired_at timestamptz,
    -- Why no node can fire it, such as an expression that none can read; set anew to try again.
    problem text,
    active boolean NOT NULL
        GENERATED ALWAYS AS (paused_at IS NULL AND retired_at IS NULL AND problem IS NULL) STORED,
    -- The time of the run that comes next; NULL until a node has worked it out, counting from counted_from.
    next_run_at timestamptz,
    counted_from timestamptz NOT NULL,
    -- The time the last run was due, not the moment it was published.
    last_run_at timestamptz,
    last_job_id uuid,
    -- The first due time since the last run that passed without one; NULL if none did.
    unmet_since timestamptz,
    fired bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    missed bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT schedule_timing CHECK ((cron IS NULL) <> (every IS NULL)),
    CONSTRAINT schedule_every CHECK (every BETWEEN '1 second' AND '10 years'),
    CONSTRAINT schedule_misfire CHECK (misfire IN ('SKIP', 'ONCE', 'ALL')),
    CONSTRAINT schedule_overlap CHECK (overlap IN ('ALLOW', 'SKIP')),
    CONSTRAINT schedule_origin CHECK (origin IN ('CODE', 'CONFIG', 'API')),
    CONSTRAINT schedule_max_attempts CHECK (max_attempts >= 1),
    CONSTRAINT schedule_timeout CHECK (timeout > '0' AND timeout <= '10 years')
) WITH (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

-- What is due, the ones nobody has worked out yet first.
CREATE INDEX schedule_due ON schedule (coalesce(next_run_at, '-infinity')) WHERE active;

-- The due time of the earliest run that has not happened: in the past for long, and something is wrong.
CREATE INDEX schedule_unmet ON schedule (coalesce(unmet_since, next_run_at, counted_from))
    WHERE paused_at IS NULL AND retired_at IS NULL;

CREATE INDEX schedule_defined ON schedule (name) WHERE origin <> 'API' AND retired_at IS NULL;
