-- What on_conflict asks for where a live job has the key. A job that waits is changed and loses its place, which the
-- caller gives it again: REPLACE changes all but its id, POSTPONE its time alone. One that runs is left as it is and
-- gives up its key; so is one that has waited for max_delay, because whoever changes it keeps it from being claimed for
-- that long, and a flood of changes would do so for ever.
CREATE OR REPLACE FUNCTION internal_replace(
    clock timestamptz, ids uuid[], types text[], payloads json[], queues text[], priorities int[],
    run_ats timestamptz[], delays_ms bigint[], max_attempts int[], timeouts_ms bigint[], unique_keys text[],
    headers jsonb[], on_conflicts text[], max_delays_ms bigint[], lined limited[], settled uuid[],
    OUT moved uuid[], OUT replaced uuid[], OUT heirs uuid[], OUT elders uuid[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    held record;
    holder job;
    i int;
    wanted timestamptz;
    latest timestamptz;
    begun boolean;
    waited text;
BEGIN
    moved := '{}';
    replaced := '{}';
    heirs := '{}';
    elders := '{}';
    -- All rows first, in the order of their ids, then their places. One that has left meanwhile, or has given up its
    -- key, is not among them: then the caller finds nobody with the key, and begins again.
    SELECT array_agg(h.job) AS jobs, array_agg(h.i) AS givens INTO held FROM (
        SELECT j AS job, g.i FROM (
                SELECT DISTINCT ON (g.type, g.unique_key) g.type, g.unique_key, g.i
                FROM unnest(ids, types, unique_keys, on_conflicts) WITH ORDINALITY AS g (id, type, unique_key, mode, i)
                WHERE g.mode IN ('REPLACE', 'POSTPONE') AND g.id <> ALL (settled)
                ORDER BY g.type, g.unique_key, g.mode = 'REPLACE' DESC, g.i DESC) AS g
            JOIN job j ON j.type = g.type AND j.unique_key = g.unique_key AND j.id <> ALL (settled)
        ORDER BY j.id FOR UPDATE OF j) AS h;

    FOR n IN 1 .. coalesce(cardinality(held.jobs), 0) LOOP
        holder := held.jobs[n];
        i := held.givens[n];
        begun := holder.attempt > 0 OR coalesce(holder.steps > 0, false);
        -- A delay is counted from now: this call may have waited for the row.
        wanted := coalesce(run_ats[i], clock_timestamp() + delays_ms[i] * interval '1 millisecond', clock);
        -- A job that was tried already starts anew when it is replaced, and so does the time it may wait.
        latest := CASE WHEN begun THEN clock ELSE holder.created_at END + max_delays_ms[i] * interval '1 millisecond';
        waited := CASE WHEN latest <= clock AND NOT internal_is_behind(holder) THEN NULL
            ELSE internal_withdraw(holder) END;
        IF waited IS NULL THEN
            IF NOT EXISTS (SELECT FROM taken_key t
                    WHERE t.type = holder.type AND t.key = holder.unique_key AND t.until > clock) THEN
                UPDATE job SET unique_key = NULL, superseded_by = ids[i] WHERE id = holder.id;
                heirs := heirs || ids[i];
                elders := elders || holder.id;
            END IF;
            CONTINUE;
        END IF;
        moved := moved || holder.id;
        IF on_conflicts[i] = 'POSTPONE' THEN
            -- One that waits for its next attempt keeps the time of its retry policy.
            UPDATE job SET run_at = least(wanted, latest) WHERE id = holder.id AND NOT begun;
            CONTINUE;
        END IF;
        replaced := replaced || holder.id;
        IF holder.steps > 0 OR holder.events > 0 THEN
            PERFORM internal_forget(ARRAY[holder.id]);
        END IF;
        IF holder.line <> (lined[i]).line IS NOT FALSE AND holder.line IS NOT NULL THEN
            PERFORM internal_leave(ARRAY[(holder.id, holder.queue, holder.type, holder.limits, holder.limit_keys,
                holder.gates, holder.line, holder.seq)::limited], NULL);
        END IF;
        UPDATE job SET queue = coalesce(queues[i], 'default'), priority = coalesce(priorities[i], 0),
            run_at = least(wanted, latest), payload = payloads[i], headers = internal_replace.headers[i],
            max_attempts = internal_replace.max_attempts[i], timeout = timeouts_ms[i] * interval '1 millisecond',
            created_at = CASE WHEN begun THEN clock ELSE created_at END, attempt = 0, percent = NULL, stage = NULL,
            steps = NULL, events = NULL, spared = NULL, limits = (lined[i]).limits, limit_keys = (lined[i]).keys,
            gates = (lined[i]).gates, line = (lined[i]).line,
            -- In the same line it keeps its place.
            seq = CASE WHEN line = (lined[i]).line THEN seq ELSE (lined[i]).seq END
        WHERE id = holder.id;
    END LOOP;
END
$$;

-- Whether the job that gave up its key for this one still waits. Then this one need not be left alone to start soon,
-- and there are no more than two that wait, for however long nobody claims them.
CREATE OR REPLACE FUNCTION internal_is_behind(j job) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    epochs constant int[] := internal_epochs();
BEGIN
    RETURN EXISTS (SELECT FROM job e WHERE e.id = j.supersedes AND (
        EXISTS (SELECT FROM scheduled s
            WHERE s.hash = hashtextextended(e.queue, 0) AND s.run_at = e.run_at AND s.id = e.id)
        OR EXISTS (SELECT FROM waiting w
            WHERE w.hash = hashtextextended(e.queue, 0) AND w.run_at = e.run_at AND w.id = e.id)
        OR EXISTS (SELECT FROM ready r WHERE r.epoch = ANY (epochs) AND r.hash = hashtextextended(e.queue, 0)
            AND r.rank = ~e.priority AND r.run_at = e.run_at AND r.id = e.id)));
END
$$;

-- Of several given jobs with one key, those that come before the last that replaces.
CREATE OR REPLACE FUNCTION internal_overtaken(types text[], unique_keys text[], on_conflicts text[]) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN ARRAY(SELECT g.i FROM (
        SELECT g.i, max(g.i) FILTER (WHERE g.mode = 'REPLACE') OVER (PARTITION BY g.type, g.unique_key) AS last
        FROM unnest(types, unique_keys, on_conflicts) WITH ORDINALITY AS g (type, unique_key, mode, i)
        WHERE g.unique_key IS NOT NULL) AS g
    WHERE g.i < g.last);
END
$$;

REVOKE ALL ON FUNCTION internal_is_behind(job) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_overtaken(text[], text[], text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_replace(timestamptz, uuid[], text[], json[], text[], int[], timestamptz[], bigint[],
    int[], bigint[], text[], jsonb[], text[], bigint[], limited[], uuid[]) FROM PUBLIC;
