-- What dead letters with the same error have in common: queue, type, and the error without frames of the stack and
-- without what differs from job to job (quoted texts, ids, numbers).
CREATE OR REPLACE FUNCTION internal_fingerprint(queue text, type text, error text) RETURNS text
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT left(md5(concat_ws(E'\n', queue, type, regexp_replace(regexp_replace(regexp_replace(regexp_replace(
        left(regexp_replace(left(error, 20000), '\n\s+(at |\.\.\. )[^\n]*', '', 'g'), 2000),
        '"[^"\n]*"|''[^''\n]*''|`[^`\n]*`', '?', 'g'),
        '[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}', '?', 'g'),
        '(@|0x)[0-9a-fA-F]+', '\1?', 'g'),
        '[0-9]+', '?', 'g'))), 16)
$$;

REVOKE ALL ON FUNCTION internal_fingerprint(text, text, text) FROM PUBLIC;
