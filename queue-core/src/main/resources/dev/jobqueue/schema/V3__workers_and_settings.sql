-- Workers, and the settings of queues and types.

-- One row for each worker. A beat is one update of this row, for all its jobs. Ids are random and never used again.
CREATE TABLE worker (
    id uuid NOT NULL PRIMARY KEY,
    host text,
    pid int,
    version text,
    queues text[],
    types text[],
    -- How long it may be silent before its jobs are rescued; NULL if whoever calls rescue decides that.
    ttl interval,
    -- Jobs that it had claimed but not begun at its last beat. If it vanishes, no attempt of these is counted.
    held uuid[],
    started_at timestamptz NOT NULL,
    beat_at timestamptz NOT NULL,
    dead_at timestamptz
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0
);

-- Queues that somebody configured or paused; other queues have no row. NULL means that the value of setting counts.
CREATE TABLE queue (
    name text NOT NULL PRIMARY KEY,
    paused_at timestamptz,
    retention interval,
    pending_warning int,
    pending_critical int,
    -- The application that set a value, by the name of the value; without those that an operator set, or nobody.
    owners jsonb NOT NULL DEFAULT '{}',
    -- Written by prune: it has deleted all history of this queue that finished before this time.
    pruned_to timestamptz NOT NULL DEFAULT '-infinity',
    CONSTRAINT queue_retention CHECK (retention >= '0'),
    CONSTRAINT queue_thresholds CHECK (pending_warning >= 0 AND pending_critical >= 0)
);

CREATE TABLE setting (
    only_row boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_row),
    retention interval NOT NULL DEFAULT '7 days',
    max_payload_bytes int NOT NULL DEFAULT 1048576,
    pending_warning int NOT NULL DEFAULT 100,
    pending_critical int NOT NULL DEFAULT 1000,
    owners jsonb NOT NULL DEFAULT '{}',
    pruned_to timestamptz NOT NULL DEFAULT '-infinity',
    -- Written by internal_sweep: the id up to which it has looked.
    swept_to uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    CONSTRAINT setting_retention CHECK (retention >= '0'),
    CONSTRAINT setting_max_payload_bytes CHECK (max_payload_bytes >= 1000),
    CONSTRAINT setting_thresholds CHECK (pending_warning >= 0 AND pending_critical >= 0)
);

INSERT INTO setting DEFAULT VALUES;

CREATE TABLE retry_policy (
    type text NOT NULL PRIMARY KEY,
    max_attempts int NOT NULL,
    base interval NOT NULL,
    factor float8 NOT NULL,
    maximum interval NOT NULL,
    jitter float8 NOT NULL,
    timeout interval,
    owner text,
    CONSTRAINT retry_policy_max_attempts CHECK (max_attempts >= 1),
    CONSTRAINT retry_policy_delay CHECK (base >= '0' AND maximum >= base AND maximum <= '3650 days'),
    CONSTRAINT retry_policy_factor CHECK (factor BETWEEN 1 AND 100),
    CONSTRAINT retry_policy_jitter CHECK (jitter BETWEEN 0 AND 1),
    CONSTRAINT retry_policy_timeout CHECK (timeout > '0' AND timeout <= '3650 days')
);
