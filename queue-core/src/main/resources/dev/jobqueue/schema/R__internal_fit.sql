-- The first of the jobs that a claim found in a queue: as many as it takes to reach so many bytes of payloads, and one at
-- least. The others stay PENDING. This session and those that skipped them meanwhile have gone past them: they look back.
CREATE OR REPLACE FUNCTION internal_fit(queue text, tids tid[], max_bytes bigint) RETURNS tid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    total bigint;
    compressed boolean;
    size bigint;
    fitting int := 0;
BEGIN
    -- Only a compressed payload has to be read to know its length.
    SELECT sum(pg_column_size(job.payload)), bool_or(pg_column_compression(job.payload) IS NOT NULL)
    INTO total, compressed FROM job WHERE job.ctid = ANY (tids);
    IF total < max_bytes AND NOT compressed THEN
        RETURN tids;
    END IF;

    total := 0;
    FOR size IN
        SELECT CASE WHEN pg_column_compression(job.payload) IS NULL THEN pg_column_size(job.payload) - 4
            ELSE octet_length(job.payload::text) END
        FROM unnest(tids) AS found (tid), job WHERE job.ctid = found.tid
    LOOP
        fitting := fitting + 1;
        total := total + size;
        EXIT WHEN total >= max_bytes;
    END LOOP;
    IF fitting < cardinality(tids) THEN
        PERFORM internal_rewind(ARRAY[internal_fit.queue], ARRAY[min(job.run_at)])
        FROM job WHERE job.ctid = ANY (tids[fitting + 1:]);
    END IF;
    RETURN tids[1:fitting];
END
$$;

REVOKE ALL ON FUNCTION internal_fit(text, tid[], bigint) FROM PUBLIC;
