-- Guards shared by the calls: pairs of arrays, names, spans of time. Each refuses with JQ422 or does nothing.

CREATE OR REPLACE FUNCTION internal_check_pairs(ids uuid[], other text, length int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF length <> cardinality(ids) OR (length IS NULL) <> (ids IS NULL) THEN
        PERFORM internal_invalid(other, format('%s elements', coalesce(length, 0)),
            format('must have as many elements as ids (%s)', coalesce(cardinality(ids), 0)));
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION internal_check_name(argument text, value text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF (length(value) BETWEEN 1 AND 200 AND value !~ E'^\\s|\\s$|[[:cntrl:]]') IS NOT TRUE THEN
        PERFORM internal_invalid(argument, value,
            'must have 1 to 200 characters, none of them a control character, no blank at either end');
    END IF;
END
$$;

-- In milliseconds. The upper limit keeps clock + span inside what a timestamp holds: one job could break every claim.
CREATE OR REPLACE FUNCTION internal_check_span(argument text, value interval, least_ms int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF NOT isfinite(value) OR extract(epoch FROM value) > 315360000 OR value < least_ms * interval '1 microsecond' THEN
        PERFORM internal_invalid(argument, value::text,
            format('must be %s and at most 10 years', CASE least_ms WHEN 0 THEN 'at least 0' ELSE 'more than 0' END));
    END IF;
    RETURN ceil(extract(epoch FROM value) * 1000)::bigint;
END
$$;

-- A LIKE pattern: one that ends in a lone backslash would fail at the first row that reaches it.
CREATE OR REPLACE FUNCTION internal_check_pattern(argument text, value text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF value ~ E'(^|[^\\\\])(\\\\\\\\)*\\\\$' THEN
        PERFORM internal_invalid(argument, value, 'must not end with a backslash that escapes nothing');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_check_pairs(uuid[], text, int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_name(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_span(text, interval, int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_pattern(text, text) FROM PUBLIC;
