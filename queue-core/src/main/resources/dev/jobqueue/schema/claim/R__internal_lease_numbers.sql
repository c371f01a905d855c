-- Numbers for so many new leases. What a claim returns is (number << 12) | (version & 4095).
-- The clock is part of a number because claims may commit asynchronously: a crash can take the sequence back, and with
-- that alone a worker from before it could hold a lease that is given again. 40 bits of milliseconds since 2026, 11 of
-- the sequence.
CREATE OR REPLACE FUNCTION internal_lease_numbers(clock timestamptz, wanted int) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    moment constant bigint := ((extract(epoch FROM clock) * 1000)::bigint - 1767225600000) << 11;
    numbers bigint[] := '{}';
BEGIN
    FOR i IN 1 .. wanted LOOP
        numbers[i] := moment | (nextval('lease_number') & 2047);
    END LOOP;
    RETURN numbers;
END
$$;

REVOKE ALL ON FUNCTION internal_lease_numbers(timestamptz, int) FROM PUBLIC;
