-- How many jobs the rate and the closings of a gate let pass now, NULL for any number, and when the next one if none.
CREATE OR REPLACE FUNCTION internal_gate_time(rule job_limit, gate bigint, clock timestamptz,
    OUT room bigint, OUT opens_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    spacing constant interval := rule.period / rule.rate;
    paced_to timestamptz;
    closed_until timestamptz := (SELECT c.until FROM closing c WHERE c.gate = internal_gate_time.gate
        AND c.until > clock ORDER BY c.until DESC LIMIT 1);
BEGIN
    IF rule.rate IS NOT NULL THEN
        paced_to := greatest(clock, (SELECT m.paced_to FROM mark m WHERE m.gate = internal_gate_time.gate
            ORDER BY m.n DESC LIMIT 1));
        -- Never negative: a rate that was lowered may have let pass more than it would.
        room := greatest(0, floor(extract(epoch FROM clock - paced_to) / extract(epoch FROM spacing) + rule.burst));
        IF room = 0 THEN
            opens_at := paced_to - (rule.burst - 1) * spacing;
        END IF;
    END IF;
    IF closed_until IS NOT NULL THEN
        room := 0;
        opens_at := greatest(opens_at, closed_until);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_gate_time(job_limit, bigint, timestamptz) FROM PUBLIC;
