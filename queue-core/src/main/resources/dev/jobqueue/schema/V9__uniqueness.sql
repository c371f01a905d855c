-- Unique keys that stay taken after their job has ended, and jobs that gave up their key.

-- Keys that are taken until a time, even if the job has ended and is gone from the history. Written when a job with
-- unique_for is published, after the row of that job; prune deletes expired rows. A transaction with an old snapshot
-- may not see the row of a key. If it publishes a job with that key, the primary key makes PostgreSQL fail it (40001).
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

-- The newer job that took the unique key of this one, which had begun or was about to begin. This job finishes its run,
-- but is not tried again, because the newer job replaces it.
ALTER TABLE job ADD COLUMN superseded_by uuid;
-- In the newer job: the job whose unique key it took.
ALTER TABLE job ADD COLUMN supersedes uuid;

-- Dropped because they get further arguments, all of which have defaults.
DROP FUNCTION IF EXISTS publish(text, text, text, int, timestamptz, int, interval, text, jsonb, uuid);
DROP FUNCTION IF EXISTS publish(text, jsonb, text, int, timestamptz, int, interval, text, jsonb, uuid);
DROP FUNCTION IF EXISTS publish_many(uuid[], text[], text[], text[], int[], timestamptz[], bigint[], int[], bigint[],
    text[], text[], boolean, boolean, uuid, bigint[]);
DROP FUNCTION IF EXISTS internal_publish_once(int, timestamptz, uuid[], text[], json[], text[], int[], timestamptz[],
    bigint[], int[], bigint[], text[], jsonb[], boolean);
