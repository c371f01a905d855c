-- A UUID that sorts by time: the server's own where it has one (PostgreSQL 18), else built to the same layout.
-- 48 bits of milliseconds, version, 12 bits of the millisecond's fraction; variant and the rest from a random UUID.
CREATE OR REPLACE FUNCTION uuidv7() RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    micros bigint;
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        RETURN pg_catalog.uuidv7();
    END IF;
    micros := extract(epoch FROM clock_timestamp()) * 1000000;
    RETURN encode(int8send(((micros / 1000) << 16) | x'7000'::bigint | (micros % 1000 * 4096 / 1000))
        || substring(uuid_send(gen_random_uuid()) FROM 9), 'hex')::uuid;
END
$$;

-- By its full name: unqualified, it would be the server's own that is taken from everybody.
DO $$
BEGIN
    EXECUTE format('REVOKE ALL ON FUNCTION %I.uuidv7() FROM PUBLIC', current_schema());
END
$$;
