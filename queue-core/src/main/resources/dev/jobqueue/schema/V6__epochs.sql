-- While somebody holds an old snapshot, PostgreSQL cannot remove deleted entries of ready and scheduled, and a search
-- that begins at the first entry walks over all of them. So entries belong to epochs. A search that took long starts a
-- new epoch (internal_advance). For each older epoch, to which nobody can add entries any more, it stores where the
-- first entry is. Later searches begin there.

-- The epoch of new entries. A transaction that writes an entry holds a shared advisory lock on the number of its epoch
-- until it ends.
CREATE SEQUENCE current_epoch;

-- Which epochs have entries: those in older, and all from upto on. The newest row counts. A row stays true for ever,
-- because no entry is added to an older epoch. Rows are never updated: a search would have to walk over the old
-- versions of a row, as it does over deleted entries.
CREATE TABLE epoch (
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    upto int NOT NULL,
    older int[] NOT NULL
);

INSERT INTO epoch (upto, older) VALUES (nextval('current_epoch'), '{}');

-- Where a search of an epoch and a queue may begin: no entry that passes the filter (a hash of types) comes before this
-- one. If there are several rows, the greatest counts.
CREATE TABLE floor (
    epoch int NOT NULL,
    hash bigint NOT NULL,
    filter bigint NOT NULL,
    rank int NOT NULL,
    run_at timestamptz NOT NULL,
    id uuid NOT NULL
);

-- Not unique, because a claim that stores the same floor as another one must not wait for the end of its transaction.
CREATE INDEX floor_greatest ON floor (epoch, hash, filter, rank, run_at, id);
