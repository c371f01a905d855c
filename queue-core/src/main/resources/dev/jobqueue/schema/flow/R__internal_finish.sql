-- Finishes those of the given flows in which all have ended, or has them undo first what is done. Their rows are
-- locked. Returns queues with new jobs, and the flows that finished.
CREATE OR REPLACE FUNCTION internal_finish(ids uuid[], one_by_one boolean, OUT queues text[], OUT ended jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    over uuid[] := ARRAY(SELECT f.id FROM flow f WHERE f.id = ANY (ids) AND f.sealed AND f.finished_at IS NULL
        AND f.done + f.dead + f.cancelled >= f.total ORDER BY f.id);
    undone uuid[];
    of_flow uuid;
    gone record;
BEGIN
    queues := '{}';
    IF over = '{}' THEN
        RETURN;
    END IF;
    undone := ARRAY(SELECT f.id FROM flow f WHERE f.id = ANY (over) AND f.kind = 'FLOW'
        AND (f.dead > 0 OR f.cancelled > 0 AND f.compensates) AND internal_has_to_undo(f.id));
    FOREACH of_flow IN ARRAY undone LOOP
        queues := queues || internal_compensate(of_flow, one_by_one);
        over := array_remove(over, of_flow);
    END LOOP;

    WITH finished AS (
        UPDATE flow f SET state = CASE WHEN f.dead > 0 THEN 'FAILED' WHEN o.is_cancelled THEN 'CANCELLED'
                ELSE 'SUCCEEDED' END,
            finished_at = clock_timestamp(), holds_key = false,
            told_success = f.told_success OR f.dead = 0 AND NOT o.is_cancelled
        -- One that was cancelled before it had members is cancelled too.
        FROM (SELECT o.ctid AS tid, o.told_success, o.cancelled > 0 OR o.cancelling AND o.total = 0 AS is_cancelled
            FROM flow o WHERE o.id = ANY (over)) AS o WHERE f.ctid = o.tid
        RETURNING f.*, f.told_success AND NOT o.told_success AS tells_success)
    SELECT array_agg(f.id) AS ids, array_agg(f.id) FILTER (WHERE f.tells_success) AS successes,
        array_agg(f.parent) FILTER (WHERE f.parent IS NOT NULL) AS parents,
        array_agg(f.state) FILTER (WHERE f.parent IS NOT NULL) AS states,
        jsonb_agg(jsonb_build_object('id', f.id, 'kind', f.kind, 'name', f.name, 'key', f.key, 'state', f.state,
            'round', f.round, 'total', f.total, 'done', f.done, 'dead', f.dead, 'cancelled', f.cancelled,
            'duration_ms', (extract(epoch FROM f.finished_at - f.created_at) * 1000)::bigint)) AS ended
    INTO gone FROM finished f;
    ended := gone.ended;
    IF gone.parents IS NOT NULL THEN
        INSERT INTO flow_tick (flow, what, jobs)
        SELECT p.parent, internal_outcome(p.state), 1 FROM unnest(gone.parents, gone.states) AS p (parent, state);
    END IF;
    IF gone.ids IS NOT NULL THEN
        queues := queues || internal_call_back(gone.ids, 'FINISH', one_by_one);
    END IF;
    IF gone.successes IS NOT NULL THEN
        queues := queues || internal_call_back(gone.successes, 'SUCCESS', one_by_one);
    END IF;
END
$$;

-- Publishes what flows want to be called back with, with their id and round as headers. One by one,
-- what cannot be published, such as a job that has become too long, stays as a problem of its flow. Returns the
-- queues.
CREATE OR REPLACE FUNCTION internal_call_back(ids uuid[], event text, one_by_one boolean) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    called record;
    woken text[] := '{}';
BEGIN
    SELECT array_agg(c.flow) AS flows, array_agg(uuidv7()) AS ids, array_agg(jsonb_set(c.spec, '{headers}',
        CASE WHEN jsonb_typeof(c.spec -> 'headers') = 'object' THEN c.spec -> 'headers' ELSE '{}' END
            || jsonb_build_object('flow', c.flow, 'round', c.round::text))) AS specs
    INTO called FROM (
        SELECT f.id AS flow, f.round, CASE event WHEN 'DEATH' THEN f.on_death WHEN 'SUCCESS' THEN f.on_success
            ELSE f.on_finish END AS spec
        FROM flow f WHERE f.id = ANY (internal_call_back.ids)) AS c
    WHERE c.spec IS NOT NULL;
    IF called.ids IS NULL THEN
        RETURN woken;
    END IF;
    IF NOT one_by_one THEN
        RETURN internal_publish_specs(called.ids, called.specs, NULL, NULL);
    END IF;
    FOR i IN 1 .. cardinality(called.ids) LOOP
        BEGIN
            woken := woken || internal_publish_specs(called.ids[i:i], called.specs[i:i], NULL, NULL);
        -- Only what is wrong with the job itself: a full disk or a lock must not lose it.
        EXCEPTION WHEN SQLSTATE 'JQ422' OR data_exception OR integrity_constraint_violation THEN
            UPDATE flow f SET problem = format('%s: %s', lower('on_' || event), SQLERRM) WHERE f.id = called.flows[i];
        END;
    END LOOP;
    RETURN woken;
END
$$;

REVOKE ALL ON FUNCTION internal_finish(uuid[], boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_call_back(uuid[], text, boolean) FROM PUBLIC;
