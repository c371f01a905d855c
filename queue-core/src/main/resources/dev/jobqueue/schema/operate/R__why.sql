-- Why a job is not running (or not any more), most telling reason first; no rows if nobody knows the job.
CREATE OR REPLACE FUNCTION why(id uuid, ttl interval DEFAULT '20 seconds')
RETURNS TABLE (queue text, state text, reason text, message text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    j live_job;
BEGIN
    SELECT * INTO j FROM live_job WHERE live_job.id = why.id;
    j.max_attempts := internal_max_attempts(j.type, j.max_attempts);
    IF j.state = 'RUNNING' THEN
        RETURN QUERY SELECT j.queue, j.state, 'RUNNING',
            format('It runs since %s (attempt %s of %s) on worker %s, host %s.%s',
                date_trunc('second', j.claimed_at), j.attempt, j.max_attempts, j.worker_id, coalesce(w.host, '?'),
                ' It says: ' || j.stage || '.')
        FROM (SELECT) AS one LEFT JOIN worker w ON w.id = j.worker_id;
        RETURN QUERY SELECT j.queue, j.state, 'WORKER_GONE', format(
                'Its worker has not been heard of since %s: it will be rescued.', coalesce(
                    (SELECT date_trunc('second', w.beat_at)::text FROM worker w WHERE w.id = j.worker_id), 'long ago'))
        WHERE NOT EXISTS (SELECT FROM worker w
            WHERE w.id = j.worker_id AND w.dead_at IS NULL AND w.beat_at > clock - coalesce(w.ttl, why.ttl));
        RETURN QUERY SELECT j.queue, j.state, 'CANCEL_REQUESTED',
            format('Its worker was asked to cancel it at %s.', date_trunc('second', j.cancel_requested_at))
        WHERE j.cancel_requested_at IS NOT NULL;
        RETURN QUERY SELECT j.queue, j.state, 'SUPERSEDED',
            format('Job %s has taken its unique key: it is not tried again.', j.superseded_by)
        WHERE j.superseded_by IS NOT NULL;
    ELSIF j.state IS NOT NULL THEN
        RETURN QUERY SELECT j.queue, j.state, w.reason, w.message FROM internal_why_waiting(j, ttl) AS w;
    ELSE
        RETURN QUERY
        SELECT d.queue, 'DEAD', 'DEAD', format('It died at %s: %s. Replay it to have it tried again.',
            date_trunc('second', d.died_at), d.reason) FROM dead_letter d WHERE d.id = why.id
        UNION ALL
        SELECT h.queue, h.state, h.state, format('It is %s since %s.', h.state, date_trunc('second', h.finished_at))
        FROM job_history h WHERE h.id = why.id;
        IF NOT FOUND THEN
            RETURN QUERY SELECT w.queue, w.state, w.reason, w.message FROM internal_why_step(why.id) AS w;
        END IF;
    END IF;
END
$$;

-- The reasons of a step of a flow that has no job.
CREATE OR REPLACE FUNCTION internal_why_step(id uuid)
RETURNS TABLE (queue text, state text, reason text, message text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    known flow_step;
    waits record;
BEGIN
    SELECT * INTO known FROM flow_step s WHERE s.job_id = internal_why_step.id;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    queue := coalesce(known.spec ->> 'queue', 'default');
    state := CASE known.state WHEN 'BLOCKED' THEN 'WAITING' WHEN 'FREE' THEN 'WAITING' WHEN 'DONE' THEN 'COMPLETED'
        ELSE known.state END;
    IF known.state = 'BLOCKED' THEN
        SELECT string_agg(format('%L (%s)', p.name, p.state), ', ' ORDER BY p.step) FILTER (WHERE p.i <= 5) AS names,
            count(*) AS steps
        INTO waits FROM (
            SELECT s.name, s.state, s.step, row_number() OVER (ORDER BY s.step) AS i
            FROM flow_edge e CROSS JOIN LATERAL (
                SELECT * FROM flow_step s WHERE s.flow = e.flow AND s.step = e.parent OFFSET 0) AS s
            WHERE e.flow = known.flow AND e.child = known.step AND e.child > 0
                AND NOT internal_lets_go(s.state, known.on_parent_dead)) AS p;
        reason := 'STEP_BLOCKED';
        message := format('It waits for %s of its flow: %s%s.', CASE waits.steps WHEN 1 THEN 'a step'
            ELSE waits.steps || ' steps' END, waits.names, CASE WHEN waits.steps > 5 THEN ', ...' ELSE '' END);
    ELSIF known.state = 'FREE' AND known.kind <> 'job' THEN
        reason := CASE known.kind WHEN 'signal' THEN 'SIGNAL' ELSE 'TIMER' END;
        message := CASE known.kind WHEN 'signal' THEN format('It waits for the signal %L of its flow since %s.',
                known.name, date_trunc('second', known.freed_at))
            ELSE format('It waits for its time, %s.', date_trunc('second', coalesce(
                (known.spec ->> 'run_at')::timestamptz, known.freed_at + (known.spec ->> 'delay')::interval))) END;
    ELSE
        reason := state;
        message := format('It is %s since %s%s.', state, date_trunc('second', known.ended_at),
            CASE WHEN known.by_parent THEN ', because of a step before it'
                ELSE coalesce(': ' || known.problem, '') END);
    END IF;
    RETURN NEXT;
END
$$;

-- The reasons of a job that is SCHEDULED, WAITING or PENDING.
CREATE OR REPLACE FUNCTION internal_why_waiting(j live_job, ttl interval) RETURNS TABLE (reason text, message text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    epochs constant int[] := internal_epochs();
    paused timestamptz := (SELECT q.paused_at FROM queue q WHERE q.name = j.queue);
    nodes int;
    of_queue int;
    of_type int;
    running bigint;
    ahead bigint;
    held_back boolean := false;
BEGIN
    IF j.state = 'SCHEDULED' AND j.run_at > clock THEN
        RETURN QUERY SELECT CASE WHEN j.attempt > 0 THEN 'BACKOFF' ELSE 'SCHEDULED' END,
            CASE WHEN j.attempt > 0 THEN format('Attempt %s of %s failed; the next one is due at %s.',
                j.attempt, j.max_attempts, date_trunc('second', j.run_at))
            ELSE format('It waits for its time, %s.', date_trunc('second', j.run_at)) END;
    END IF;
    IF paused IS NOT NULL THEN
        RETURN QUERY SELECT 'PAUSED', format('The queue %L is paused since %s.', j.queue, date_trunc('second', paused));
    END IF;

    IF j.state = 'WAITING' THEN
        RETURN QUERY SELECT w.reason, w.message FROM internal_why_in_line(j) AS w;
        held_back := FOUND;
    END IF;

    SELECT count(*), count(*) FILTER (WHERE w.in_queue), count(*) FILTER (WHERE w.in_queue AND w.knows_type)
    INTO nodes, of_queue, of_type
    FROM (SELECT w.queues IS NULL OR j.queue = ANY (w.queues) AS in_queue,
            w.types IS NULL OR j.type = ANY (w.types) AS knows_type
        FROM worker w WHERE w.dead_at IS NULL AND w.beat_at > clock - coalesce(w.ttl, internal_why_waiting.ttl)) w;
    IF nodes = 0 THEN
        RETURN QUERY SELECT 'NO_NODE', 'No node is alive.';
    ELSIF of_queue = 0 THEN
        RETURN QUERY SELECT 'QUEUE_NOT_WORKED', format('None of the %s live nodes works the queue %L.', nodes, j.queue);
    ELSIF of_type = 0 THEN
        RETURN QUERY SELECT 'NO_HANDLER',
            format('None of the %s live nodes of the queue %L has a handler for %L.', of_queue, j.queue, j.type);
    ELSIF j.run_at <= clock AND paused IS NULL AND NOT held_back THEN
        running := (SELECT count(*) FROM (
            SELECT FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                CROSS JOIN LATERAL (
                    SELECT FROM job r WHERE r.id = h.id AND r.version = h.version OFFSET 0) AS r
            WHERE l.queue = j.queue LIMIT 10000) r);
        ahead := (SELECT count(*) FROM (
            SELECT FROM unnest(epochs) AS e JOIN ready a ON a.epoch = e AND a.hash = hashtextextended(j.queue, 0)
                AND (a.rank, a.run_at, a.id) < (~j.priority, j.run_at, j.id)
            LIMIT 10000) a);
        IF running > 0 THEN
            RETURN QUERY SELECT 'SLOTS_BUSY', format('Jobs of its queue that run now: %s; that are before it: %s%s.',
                running, CASE WHEN ahead >= 10000 THEN 'at least ' ELSE '' END, ahead);
        ELSIF ahead > 0 THEN
            RETURN QUERY SELECT 'JOBS_AHEAD', format('Jobs of its queue that are before it: %s%s.',
                CASE WHEN ahead >= 10000 THEN 'at least ' ELSE '' END, ahead);
        ELSE
            RETURN QUERY SELECT 'DUE', format('Nothing holds it back. Live nodes that can take it, at the latest with '
                'their next poll: %s.', of_type);
        END IF;
    END IF;
END
$$;

-- What keeps a WAITING job in its line: each of its lanes that lets nobody pass now, with who holds it, how many jobs
-- of the line come before this one, and when it opens.
CREATE OR REPLACE FUNCTION internal_why_in_line(j live_job) RETURNS TABLE (reason text, message text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    clock constant timestamptz := clock_timestamp();
    epochs constant int[] := internal_epochs();
    rule job_limit;
    timed record;
    holding record;
    own record;
    before bigint;
    blocker uuid;
    is_full boolean;
    is_shut boolean := false;
BEGIN
    SELECT w.rank, w.place, w.id INTO own FROM waiting w
    WHERE w.hash = hashtextextended(j.queue, 0) AND w.run_at = j.run_at AND w.id = j.id;
    before := (SELECT count(*) FROM (SELECT FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = j.line
        AND (w.rank, w.place, w.id) < (own.rank, own.place, own.id) LIMIT 10000) AS b);
    FOR i IN 1 .. cardinality(j.limits) LOOP
        SELECT * INTO rule FROM job_limit l WHERE l.name = j.limits[i];
        CONTINUE WHEN NOT FOUND;
        SELECT t.room, t.opens_at INTO timed FROM internal_gate_time(rule, j.gates[i], clock) AS t;
        -- Of a run, some may have come back before the others.
        SELECT count(*) AS jobs, string_agg(h.id::text, ', ') FILTER (WHERE h.i <= 5) AS ids
        INTO holding FROM (SELECT h.id, row_number() OVER (ORDER BY h.n, h.id) AS i FROM held h
            WHERE h.gate = j.gates[i] AND (rule.kind <> 'FIFO' OR NOT EXISTS (
                SELECT FROM waiting w WHERE w.epoch = ANY (epochs) AND w.line = h.line AND w.rank = -2147483648
                    AND w.id = h.id OFFSET 0))
            LIMIT 1000) AS h;
        blocker := CASE WHEN rule.kind = 'FIFO' THEN internal_blocker(j.gates[i]) END;
        is_full := rule.running IS NOT NULL AND CASE rule.kind
            WHEN 'FIFO' THEN EXISTS (SELECT FROM held h WHERE h.gate = j.gates[i])
                AND NOT internal_is_back(j.line, j.gates[i], epochs)
            ELSE holding.jobs >= rule.running END;
        CONTINUE WHEN NOT is_full AND (timed.room > 0) IS NOT FALSE;
        is_shut := true;
        reason := CASE WHEN blocker IS NOT NULL THEN 'LANE_BLOCKED' WHEN is_full THEN 'LANE_FULL'
            ELSE 'LANE_CLOSED' END;
        message := concat_ws('; ', format('lane %L of %L %s', rule.name, j.limit_keys[i],
                CASE reason WHEN 'LANE_BLOCKED' THEN format('stands behind job %s, which %s', blocker,
                        CASE WHEN EXISTS (SELECT FROM dead_letter d WHERE d.id = blocker)
                            THEN 'is dead: replay it, purge it, or release the lane' ELSE 'is to be tried again' END)
                    WHEN 'LANE_FULL' THEN format(CASE WHEN rule.kind = 'FIFO' AND rule.running > 1
                            THEN 'runs %1$s in order: jobs %3$s%4$s' ELSE 'has %1$s of %2$s running: jobs %3$s%4$s' END,
                        holding.jobs, rule.running, holding.ids, CASE WHEN holding.jobs > 5 THEN ', ...' ELSE '' END)
                    ELSE 'lets no job start now' END),
            format('%s%s%s before this one', CASE WHEN before >= 10000 THEN 'at least ' ELSE '' END, before,
                -- The others of the lane wait in lines of their own, by type, which take turns.
                CASE WHEN j.seq IS NULL THEN ' of its type' END),
            'opens at ' || date_trunc('milliseconds', timed.opens_at));
        RETURN NEXT;
    END LOOP;
    IF NOT is_shut AND before > 0 THEN
        reason := 'JOBS_AHEAD';
        message := format('Jobs of its lane that are before it: %s%s.',
            CASE WHEN before >= 10000 THEN 'at least ' ELSE '' END, before);
        RETURN NEXT;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_why_in_line(live_job) FROM PUBLIC;
REVOKE ALL ON FUNCTION why(uuid, interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_why_step(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_why_waiting(live_job, interval) FROM PUBLIC;
