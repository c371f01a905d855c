-- No job of this limit and key starts before then; a time that is past opens the lane. Running jobs go on.
CREATE OR REPLACE FUNCTION close_lane(of_limit text, key text, until timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    of_gate constant bigint := hashtextextended(of_limit || E'\x1f' || key, 0);
BEGIN
    PERFORM internal_check_limits(ARRAY[of_limit]);
    IF of_gate IS NULL THEN
        PERFORM internal_invalid('key', NULL, 'must not be null');
    ELSIF isfinite(close_lane.until) IS NOT TRUE THEN
        PERFORM internal_invalid('until', close_lane.until::text, 'must be finite and not null');
    END IF;
    DELETE FROM closing c WHERE c.gate = of_gate;
    IF close_lane.until > clock_timestamp() THEN
        INSERT INTO closing (gate, until, name, key) VALUES (of_gate, close_lane.until, of_limit, close_lane.key);
    END IF;
    PERFORM internal_turn_gates(ARRAY[of_limit], ARRAY[of_gate]);
END
$$;

REVOKE ALL ON FUNCTION close_lane(text, text, timestamptz) FROM PUBLIC;
