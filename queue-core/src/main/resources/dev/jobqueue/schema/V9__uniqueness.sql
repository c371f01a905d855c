-- Unique keys that stay taken after their job has ended, and jobs that gave up their key.

-- A key is taken until this time, whatever becomes of the job and of its history. Written by whoever publishes a job
-- with unique_for, after the row of that job; expired rows are trimmed by prune. The primary key makes PostgreSQL fail
-- (40001) a transaction with an old snapshot that does not show the row.
CREATE TABLE taken_key (
    type text NOT NULL,
    key text NOT NULL,
    until timestamptz NOT NULL,
    job_id uuid NOT NULL,
    PRIMARY KEY (type, key)
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX taken_key_until ON taken_key (until);

-- The newer job that took the unique key of this one, which had begun or was about to. A job with it finishes its run,
-- but is not tried again: the newer one stands for it.
ALTER TABLE job ADD COLUMN superseded_by uuid;
-- The other way round: of the newer one.
ALTER TABLE job ADD COLUMN supersedes uuid;

-- These get further arguments, all of which have defaults.
DROP FUNCTION IF EXISTS publish(text, text, text, int, timestamptz, int, interval, text, jsonb, uuid);
DROP FUNCTION IF EXISTS publish(text, jsonb, text, int, timestamptz, int, interval, text, jsonb, uuid);
DROP FUNCTION IF EXISTS publish_many(uuid[], text[], text[], text[], int[], timestamptz[], bigint[], int[], bigint[],
    text[], text[], boolean, boolean, uuid, bigint[]);
DROP FUNCTION IF EXISTS internal_publish_once(int, timestamptz, uuid[], text[], json[], text[], int[], timestamptz[],
    bigint[], int[], bigint[], text[], jsonb[], boolean);
