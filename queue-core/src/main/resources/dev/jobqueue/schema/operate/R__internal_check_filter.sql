-- Refuses a filter of jobs that is none (JQ422): it is an object with a state and no other keys than those named here,
-- all of them texts. allowed: the states that the caller can do something with; NULL for all.
CREATE OR REPLACE FUNCTION internal_check_filter(filter jsonb, allowed text[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    known constant text[] := '{state,queue,type,unique_key,error_like,since,before,fingerprint,flow}';
    states constant text[] := coalesce(allowed, ARRAY(SELECT s.state FROM job_state s ORDER BY s.state));
    bad text;
BEGIN
    IF jsonb_typeof(filter) = 'object' IS NOT TRUE THEN
        PERFORM internal_invalid('filter', filter::text, 'must be an object');
    END IF;
    SELECT f.key INTO bad FROM jsonb_each(filter) AS f WHERE f.key <> ALL (known) LIMIT 1;
    IF bad IS NOT NULL THEN
        PERFORM internal_invalid('filter', bad,
            format('must be an object with no other keys than %s', array_to_string(known, ', ')));
    END IF;
    SELECT f.key INTO bad FROM jsonb_each(filter) AS f WHERE jsonb_typeof(f.value) NOT IN ('string', 'null') LIMIT 1;
    IF bad IS NOT NULL THEN
        PERFORM internal_invalid(bad, filter ->> bad, 'must be a text');
    END IF;
    IF (filter ->> 'state' = ANY (states)) IS NOT TRUE THEN
        PERFORM internal_invalid('state', filter ->> 'state',
            format('must be one of %s', array_to_string(states, ', ')));
    END IF;
    IF filter ->> 'fingerprint' IS NOT NULL AND filter ->> 'state' <> 'DEAD' THEN
        PERFORM internal_invalid('fingerprint', filter ->> 'fingerprint', 'must not be given but with state DEAD');
    END IF;
    PERFORM internal_uuid('flow', filter ->> 'flow');
    PERFORM internal_check_pattern('error_like', filter ->> 'error_like');
    PERFORM internal_check_moment('since', filter ->> 'since');
    PERFORM internal_check_moment('before', filter ->> 'before');
END
$$;

CREATE OR REPLACE FUNCTION internal_check_moment(argument text, value text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF NOT isfinite(value::timestamptz) THEN
        PERFORM internal_invalid(argument, value, 'must be finite');
    END IF;
EXCEPTION WHEN data_exception THEN
    PERFORM internal_invalid(argument, value, 'must be a time');
END
$$;

-- Of a call for those jobs that match.
CREATE OR REPLACE FUNCTION internal_check_batch(filter jsonb, allowed text[], max int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM internal_check_filter(filter, allowed);
    IF (max BETWEEN 1 AND 10000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', max::text, 'must be between 1 and 10000');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_check_filter(jsonb, text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_moment(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_batch(jsonb, text[], int) FROM PUBLIC;
