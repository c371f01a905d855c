-- Takes jobs of one queue out of its lines and out of ready. Where both have some, each brings half of them at least.
CREATE OR REPLACE FUNCTION internal_claim_lines(
    of_queue text, types text[], wanted int, max_bytes bigint, tidies boolean, INOUT locked int[], OUT ids uuid[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    epochs constant int[] := internal_epochs();
    quota int := wanted;
    passed record;
    bytes bigint := 0;
    pending uuid[];
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE WARNING 'jobs with limits are not claimed in a transaction that is %',
            current_setting('transaction_isolation') USING HINT = 'Claim them in one that is READ COMMITTED.';
        ids := internal_take(of_queue, internal_claim_lines.types, wanted, max_bytes, tidies);
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM ready r WHERE r.epoch = ANY (epochs) AND r.hash = hashtextextended(of_queue, 0)) THEN
        -- Of an odd one, sometimes the larger half.
        quota := (wanted + (random() < 0.5)::int) / 2;
    END IF;
    ids := '{}';
    IF quota > 0 THEN
        SELECT * INTO passed FROM internal_admit(of_queue, internal_claim_lines.types, quota, max_bytes, locked);
        locked := passed.locked;
        ids := passed.ids;
        bytes := passed.bytes;
    END IF;
    IF cardinality(ids) < wanted AND (bytes >= max_bytes) IS NOT TRUE THEN
        pending := internal_take(of_queue, internal_claim_lines.types, wanted - cardinality(ids), max_bytes - bytes,
            tidies);
        ids := ids || pending;
        IF max_bytes IS NOT NULL THEN
            bytes := bytes + (SELECT coalesce(sum(octet_length(j.payload::text)), 0) FROM job j
                WHERE j.id = ANY (pending));
        END IF;
        IF quota < wanted AND cardinality(ids) < wanted AND (bytes >= max_bytes) IS NOT TRUE THEN
            SELECT * INTO passed FROM internal_admit(
                of_queue, internal_claim_lines.types, wanted - cardinality(ids), max_bytes - bytes,
                locked);
            locked := passed.locked;
            ids := ids || passed.ids;
        END IF;
    END IF;
    IF ids = '{}' THEN
        ids := NULL;
    END IF;
END
$$;

-- Whether a line of a queue, or a gate, has a turn that is due.
CREATE OR REPLACE FUNCTION internal_has_turn(of_hash bigint, epochs int[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    clock constant timestamptz := clock_timestamp();
    entries bigint;
    found boolean;
BEGIN
    IF cardinality(epochs) = 1 THEN
        entries := pg_stat_get_xact_tuples_returned('turn_next'::regclass);
        found := EXISTS (SELECT FROM turn t WHERE t.epoch = epochs[1] AND t.hash = of_hash AND t.at <= clock)
            OR EXISTS (SELECT FROM turn t WHERE t.epoch = epochs[1] AND t.hash = 0 AND t.at <= clock);
        entries := pg_stat_get_xact_tuples_returned('turn_next'::regclass) - entries;
    ELSE
        entries := pg_stat_get_xact_tuples_returned('turn_next'::regclass);
        found := EXISTS (SELECT FROM unnest(epochs) AS e CROSS JOIN unnest(ARRAY[of_hash, 0]) AS h
                CROSS JOIN LATERAL (SELECT f.run_at FROM internal_floor(e, h, 2) AS f OFFSET 0) AS b
                CROSS JOIN LATERAL (SELECT FROM turn t
                    WHERE t.epoch = e AND t.hash = h AND t.at >= b.run_at AND t.at <= clock LIMIT 1) AS t);
        entries := (pg_stat_get_xact_tuples_returned('turn_next'::regclass) - entries)
            >> (cardinality(epochs) / 8);
    END IF;
    IF entries > 2000 AND NOT found THEN
        PERFORM internal_advance(of_hash, NULL, true, '{}');
    END IF;
    RETURN found;
END
$$;

REVOKE ALL ON FUNCTION internal_has_turn(bigint, int[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_claim_lines(text, text[], int, bigint, boolean, int[]) FROM PUBLIC;
