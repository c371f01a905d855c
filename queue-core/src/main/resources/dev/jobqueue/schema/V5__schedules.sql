-- Recurring jobs: when each is published next, and which job was published last. The nodes evaluate the expressions,
-- but only the clock of the database counts.
--
-- Lock order: the row of a schedule is locked before all that V1 names, because firing a schedule publishes a job.

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
    -- Where it is defined, and by which application. If it has an owner, only the nodes of that application fire it. It
    -- is retired when its owner does not define it any more.
    origin text NOT NULL,
    owner text,
    paused_at timestamptz,
    retired_at timestamptz,
    -- Why no node can fire it, for example because none can read its expression. Setting the schedule clears it.
    problem text,
    active boolean NOT NULL
        GENERATED ALWAYS AS (paused_at IS NULL AND retired_at IS NULL AND problem IS NULL) STORED,
    -- When the next run is due; NULL until a node has worked that out, counting from counted_from.
    next_run_at timestamptz,
    counted_from timestamptz NOT NULL,
    -- When the last run was due, which is not when it was published.
    last_run_at timestamptz,
    last_job_id uuid,
    -- The first due time after the last run for which no job was published; NULL if there is none.
    unmet_since timestamptz,
    fired bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    missed bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT schedule_timing CHECK ((cron IS NULL) <> (every IS NULL)),
    CONSTRAINT schedule_every CHECK (every BETWEEN '1 second' AND '3650 days'),
    CONSTRAINT schedule_misfire CHECK (misfire IN ('SKIP', 'ONCE', 'ALL')),
    CONSTRAINT schedule_overlap CHECK (overlap IN ('ALLOW', 'SKIP')),
    CONSTRAINT schedule_origin CHECK (origin IN ('CODE', 'CONFIG', 'API')),
    CONSTRAINT schedule_max_attempts CHECK (max_attempts >= 1),
    CONSTRAINT schedule_timeout CHECK (timeout > '0' AND timeout <= '3650 days')
) WITH (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

-- In the order in which schedules are due; first those whose next run no node has worked out yet.
CREATE INDEX schedule_due ON schedule (coalesce(next_run_at, '-infinity')) WHERE active;

-- In the order of the earliest due time without a run. If that is long ago, something is wrong with the schedule.
CREATE INDEX schedule_unmet ON schedule (coalesce(unmet_since, next_run_at, counted_from))
    WHERE paused_at IS NULL AND retired_at IS NULL;

CREATE INDEX schedule_defined ON schedule (name) WHERE origin <> 'API' AND retired_at IS NULL;
