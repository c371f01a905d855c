-- While somebody holds an old snapshot, deleted entries of ready and scheduled cannot go away, and a search from the
-- first entry walks over all of them. So entries belong to epochs: a search that took long starts a new one
-- (internal_advance), and of an older one, to which nobody can add any more, it notes where its first entry is.

-- New entries carry this number. Whoever writes one holds a shared advisory lock on it until their transaction ends.
CREATE SEQUENCE current_epoch;

-- All entries are in one of the older epochs, or in upto and above. The newest row counts; each stays true for ever,
-- because nothing is added to an older epoch. Never updated: versions of a row would be walked over like entries.
CREATE TABLE epoch (
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    upto int NOT NULL,
    older int[] NOT NULL
);

INSERT INTO epoch (upto, older) VALUES (nextval('current_epoch'), '{}');

-- No entry of this epoch and queue that passes the filter (a hash of types) comes before this one. The greatest counts.
CREATE TABLE floor (
    epoch int NOT NULL,
    hash bigint NOT NULL,
    filter bigint NOT NULL,
    rank int NOT NULL,
    run_at timestamptz NOT NULL,
    id uuid NOT NULL
);

-- Not unique: a claim that notes the same floor must not wait for the end of another claim's transaction.
CREATE INDEX floor_greatest ON floor (epoch, hash, filter, rank, run_at, id);
