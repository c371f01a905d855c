-- Something from outside that a step of a flow waits for. The first counts, also if it comes before the step is free.
-- Returns whether this one counts, as far as can be seen now.
CREATE OR REPLACE FUNCTION signal_flow(flow uuid, name text, payload jsonb DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    waits flow_step;
    is_first boolean;
    bytes constant int := octet_length(signal_flow.payload::text);
BEGIN
    IF bytes > 8388608 THEN
        -- As the result of a job, because that is what it becomes.
        PERFORM internal_invalid('payload', bytes || ' bytes', 'must not be longer than 8388608 bytes');
    END IF;
    IF NOT EXISTS (SELECT FROM flow f WHERE f.id = signal_flow.flow) THEN
        PERFORM internal_no_flow(signal_flow.flow);
    END IF;
    SELECT * INTO waits FROM flow_step s
    WHERE s.flow = signal_flow.flow AND s.name = signal_flow.name AND s.name <> '' AND s.kind = 'signal';
    IF NOT FOUND THEN
        PERFORM internal_invalid('name', signal_flow.name, format('must be a step that waits for a signal (%s)',
            (SELECT coalesce(string_agg(k.name, ', '), 'the flow has none') FROM (SELECT s.name FROM flow_step s
                WHERE s.flow = signal_flow.flow AND s.kind = 'signal' ORDER BY s.step LIMIT 20) AS k)));
    END IF;
    IF EXISTS (SELECT FROM flow_signal f WHERE f.flow = signal_flow.flow AND f.name = signal_flow.name) THEN
        -- Another one that cannot count is not kept: whoever sends it may do so again and again.
        RETURN false;
    END IF;
    is_first := waits.state IN ('BLOCKED', 'FREE');
    INSERT INTO flow_signal (flow, name, payload, at)
    VALUES (signal_flow.flow, signal_flow.name, signal_flow.payload, clock_timestamp());
    INSERT INTO flow_tick (flow, what, steps) VALUES (signal_flow.flow, 'SIGNAL', ARRAY[waits.step]);
    PERFORM pg_notify(current_schema(), 'flow');
    RETURN is_first;
END
$$;

REVOKE ALL ON FUNCTION signal_flow(uuid, text, jsonb) FROM PUBLIC;
