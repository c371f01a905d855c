-- Texts to JSON, all at once; JQ422 names the first that is none (bad syntax, \u0000, nested too deep, ...).
-- The block writes nothing, so its subtransaction costs no transaction id.
CREATE OR REPLACE FUNCTION internal_to_jsonb(argument text, given text[]) RETURNS jsonb[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN given::jsonb[];
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    FOR i IN 1 .. cardinality(given) LOOP
        BEGIN
            PERFORM given[i]::jsonb;
        EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
            PERFORM internal_invalid(
                argument || CASE WHEN cardinality(given) > 1 THEN format(' of job %s', i) ELSE '' END,
                -- Its length only: what jobs carry may be private, and errors end up in logs.
                format('%s characters', length(given[i])),
                format('must be JSON that PostgreSQL can store (%s)', SQLERRM));
        END;
    END LOOP;
    RAISE;
END
$$;

CREATE OR REPLACE FUNCTION internal_is_jsonb(given text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN given::jsonb IS NOT NULL;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN false;
END
$$;

-- A payload for people: as a text where it is JSON that jsonb cannot hold (a row written by hand).
CREATE OR REPLACE FUNCTION internal_readable(payload json) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN payload::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN to_jsonb(payload::text);
END
$$;

REVOKE ALL ON FUNCTION internal_is_jsonb(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_readable(json) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_to_jsonb(text, text[]) FROM PUBLIC;
