-- Refuses jobs that are kept to be published later (JQ422): callbacks, steps, compensations. The first bad one is
-- named. Neither ids nor unique keys: whoever publishes them later must not meet another job.
CREATE OR REPLACE FUNCTION internal_check_specs(specs jsonb[], argument text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    bad record;
    a record;
BEGIN
    SELECT g.i, k INTO bad FROM unnest(specs) WITH ORDINALITY AS g (spec, i)
        CROSS JOIN LATERAL jsonb_object_keys(CASE jsonb_typeof(g.spec) WHEN 'object' THEN g.spec ELSE '{}' END) AS k
    WHERE k IN ('id', 'unique_key', 'unique_for', 'on_conflict', 'max_delay') ORDER BY g.i LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid(format('%s[%s]', argument, bad.i), bad.k,
            'must be a job without id, unique_key, unique_for, on_conflict and max_delay');
    END IF;
    SELECT * INTO a FROM internal_read_jobs(to_jsonb(specs));
    PERFORM internal_refuse_jobs(NULL, a.types, a.payloads, a.queues, a.priorities, a.run_ats, a.delays_ms,
        a.max_attempts, a.timeouts_ms, NULL, a.headers);
    IF a.limits IS NOT NULL THEN
        PERFORM internal_check_given_limits(internal_to_jsonb('limits', a.limits), cardinality(a.types));
    END IF;
END
$$;

-- A job, or a timer, that is kept to be published later, by a session that may have another time zone and another day:
-- its time is written in full.
CREATE OR REPLACE FUNCTION internal_keep_spec(spec jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN CASE WHEN spec ->> 'run_at' IS NULL THEN spec
        ELSE jsonb_set(spec, '{run_at}', to_jsonb((spec ->> 'run_at')::timestamptz)) END;
END
$$;

REVOKE ALL ON FUNCTION internal_check_specs(jsonb[], text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_keep_spec(jsonb) FROM PUBLIC;
