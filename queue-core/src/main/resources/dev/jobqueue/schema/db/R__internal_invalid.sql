-- Refuses an argument (JQ422): names it, shows the value, states the rule.
CREATE OR REPLACE FUNCTION internal_invalid(argument text, value text, rule text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RAISE EXCEPTION '% is %: %', argument, coalesce(quote_literal(left(value, 100)), 'null'), rule
        USING ERRCODE = 'JQ422', HINT = format('Correct %s and call again; nothing was written.', argument);
END
$$;

REVOKE ALL ON FUNCTION internal_invalid(text, text, text) FROM PUBLIC;
