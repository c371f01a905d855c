-- How far the claims of all sessions have come in one queue and priority; NULL if that is not known. A session that goes on
-- there, and not where its own last claim ended, does not walk over what the others took meanwhile.
-- In two sequences, because they have no versions that an old snapshot could hold and nobody waits for them. One has the
-- time, the other the time mixed with the key: where several keys are written in turn, or two sessions write at once, the
-- two do not fit. The time is then not known, and every session walks on its own.
CREATE OR REPLACE FUNCTION internal_lead(key bigint) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT timestamptz 'epoch' + t.last_value * interval '1 microsecond' FROM claim_lead t, claim_lead_check c
    WHERE t.last_value # c.last_value = key
$$;

CREATE OR REPLACE FUNCTION internal_set_lead(key bigint, run_at timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT setval('claim_lead', micros), setval('claim_lead_check', micros # key)
    FROM (SELECT (extract(epoch FROM run_at) * 1000000)::bigint AS micros) AS t
$$;

REVOKE ALL ON FUNCTION internal_lead(bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_set_lead(bigint, timestamptz) FROM PUBLIC;
