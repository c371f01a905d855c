-- Refuses the first of the given jobs with on_conflict FAIL whose key a live job has (JQ423); does nothing if there is
-- none.
CREATE OR REPLACE FUNCTION internal_refuse_taken(
    ids uuid[], types text[], unique_keys text[], on_conflicts text[], published uuid[], used uuid[],
    overtaken bigint[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    taken record;
BEGIN
    IF ('FAIL' = ANY (on_conflicts)) IS NOT TRUE THEN
        RETURN;
    END IF;
    SELECT g.type, g.unique_key, j.id, j.is_ours INTO taken
    FROM unnest(ids, types, unique_keys, on_conflicts) WITH ORDINALITY AS g (id, type, unique_key, mode, i)
        CROSS JOIN LATERAL (
            SELECT j.id, j.id = ANY (published) AS is_ours FROM job j
            WHERE j.type = g.type AND j.unique_key = g.unique_key ORDER BY j.created_at DESC LIMIT 1) AS j
    WHERE g.mode = 'FAIL' AND g.id <> ALL (published || used) AND NOT (j.is_ours AND g.i = ANY (overtaken))
    ORDER BY g.i LIMIT 1;
    IF FOUND THEN
        PERFORM internal_taken(taken.type, taken.unique_key, taken.id,
            CASE WHEN taken.is_ours THEN 'of the same call has it' ELSE 'has it' END);
    END IF;
END
$$;

-- Raises JQ423; the detail is the id of the job alone, for programs.
CREATE OR REPLACE FUNCTION internal_taken(type text, unique_key text, job_id uuid, how text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RAISE EXCEPTION 'unique_key is %: job % of type % %',
        quote_literal(left(unique_key, 100)), quote_literal(job_id), quote_literal(type), how
        USING ERRCODE = 'JQ423', DETAIL = job_id::text,
            HINT = 'Nothing was published. Publish when the key is free, or with on_conflict KEEP or REPLACE.';
END
$$;

REVOKE ALL ON FUNCTION internal_refuse_taken(uuid[], text[], text[], text[], uuid[], uuid[], bigint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_taken(text, text, uuid, text) FROM PUBLIC;
