-- Which queues keep history: kept says whether those without an own retention do; exceptions are those that differ.
CREATE OR REPLACE FUNCTION internal_retention(OUT kept boolean, OUT exceptions text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    SELECT s.retention > '0', ARRAY(SELECT q.name FROM queue q WHERE (q.retention > '0') <> (s.retention > '0'))
    INTO kept, exceptions FROM setting s WHERE s.only_row;
END
$$;

REVOKE ALL ON FUNCTION internal_retention() FROM PUBLIC;
