-- A batch to which members are added (add_members, publish_many) until it is sealed. Callbacks are jobs in the JSON
-- form of publish_many. If an unfinished one has the name and key, that is returned, and nothing is written. parent: a
-- batch of which this one is a member.
CREATE OR REPLACE FUNCTION open_batch(
    name text, key text DEFAULT NULL, on_success jsonb DEFAULT NULL, on_finish jsonb DEFAULT NULL,
    on_death jsonb DEFAULT NULL, parent uuid DEFAULT NULL, given_id uuid DEFAULT NULL
) RETURNS TABLE (id uuid, outcome text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN QUERY SELECT o.id, CASE WHEN o.is_new THEN 'NEW' ELSE 'EXISTING' END
    FROM internal_open_flow('BATCH', open_batch.name, open_batch.key, open_batch.on_success, open_batch.on_finish,
        open_batch.on_death, open_batch.parent, NULL, given_id) AS o;
END
$$;

-- A row for a flow of either kind, sealed with so many steps, unless an unfinished one has the name and key. Waits for
-- whoever is about to publish the same.
CREATE OR REPLACE FUNCTION internal_open_flow(
    of_kind text, of_name text, of_key text, on_success jsonb, on_finish jsonb, on_death jsonb, of_parent uuid,
    steps int, INOUT id uuid, OUT is_new boolean
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    known uuid;
BEGIN
    PERFORM internal_check_name('name', of_name);
    IF NOT (length(of_key) BETWEEN 1 AND 500 AND octet_length(of_key) <= 1800) THEN
        PERFORM internal_invalid('key', of_key, 'must have 1 to 500 characters and at most 1,800 bytes');
    END IF;
    PERFORM internal_check_specs(ARRAY[c.spec], c.name) FROM (VALUES ('on_success', internal_open_flow.on_success),
        ('on_finish', internal_open_flow.on_finish), ('on_death', internal_open_flow.on_death)) AS c (name, spec)
    WHERE c.spec IS NOT NULL;
    IF of_parent IS NOT NULL THEN
        PERFORM internal_check_batches(ARRAY[of_parent], 'parent');
    END IF;
    internal_open_flow.id := coalesce(internal_open_flow.id, uuidv7());
    LOOP
        INSERT INTO flow AS f (id, kind, name, key, parent, on_success, on_finish, on_death, created_at, sealed, total)
        VALUES (internal_open_flow.id, of_kind, of_name, of_key, of_parent,
            internal_keep_spec(internal_open_flow.on_success), internal_keep_spec(internal_open_flow.on_finish),
            internal_keep_spec(internal_open_flow.on_death), clock_timestamp(),
            internal_open_flow.steps IS NOT NULL, coalesce(internal_open_flow.steps, 0))
        ON CONFLICT DO NOTHING;
        is_new := FOUND;
        EXIT WHEN is_new;
        SELECT f.id INTO known FROM flow f
        WHERE f.id = internal_open_flow.id
            OR f.kind = of_kind AND f.name = of_name AND f.key = of_key AND f.holds_key
        ORDER BY f.id = internal_open_flow.id DESC LIMIT 1;
        -- Else it has finished in between.
        IF known IS NOT NULL THEN
            internal_open_flow.id := known;
            RETURN;
        END IF;
    END LOOP;
    IF of_parent IS NOT NULL THEN
        INSERT INTO flow_tick (flow, what, jobs) VALUES (of_parent, 'ADDED', 1);
    END IF;
END
$$;

-- Refuses ids that are none of a batch: JQ404 nobody knows it, JQ422 it is a flow.
CREATE OR REPLACE FUNCTION internal_check_batches(ids uuid[], argument text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    bad record;
BEGIN
    SELECT g.id, f.kind INTO bad FROM (SELECT DISTINCT unnest(ids) AS id) AS g LEFT JOIN flow f ON f.id = g.id
    WHERE g.id IS NOT NULL AND f.kind IS DISTINCT FROM 'BATCH' LIMIT 1;
    IF bad.kind IS NOT NULL THEN
        PERFORM internal_invalid(argument, bad.id::text, 'must be a batch: steps are added to a flow with add_steps');
    ELSIF FOUND THEN
        PERFORM internal_no_flow(bad.id);
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION internal_no_flow(id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RAISE EXCEPTION 'id is %: no batch or flow has it', coalesce(quote_literal(id), 'null') USING ERRCODE = 'JQ404',
        HINT = 'It was never published, or it finished so long ago that it was pruned.';
END
$$;

REVOKE ALL ON FUNCTION open_batch(text, text, jsonb, jsonb, jsonb, uuid, uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_open_flow(text, text, text, jsonb, jsonb, jsonb, uuid, int, uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_batches(uuid[], text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_no_flow(uuid) FROM PUBLIC;
