-- Far more of everything than a page may look at. Each key, group and queue has very many, or is one of very many.
SET search_path = queue;

SELECT set_limit('crm', 2, 100, '10 seconds', 10), set_limit('ledger', kind => 'FIFO'), set_limit('rare', 1);
SELECT use_limits('crm.sync', NULL, '{crm}', '{account}'), use_limits('ledger.book', NULL, '{ledger}', '{account}');

-- Half of the dead letters are one group, the others are in 300.
INSERT INTO dead_letter (id, queue, type, priority, run_at, payload, attempt, max_attempts, created_at, errors, reason,
    died_at, fingerprint)
SELECT gen_random_uuid(), 'q' || i % 5, 't' || grp % 20, 0, at, '{"order": 1}', 3, 3, at,
    jsonb_build_array(
        jsonb_build_object('attempt', 3, 'at', at, 'error', 'a.E: order ' || i || E'\n\tat a.B.c(B.java)')),
    'it failed', at, lpad(to_hex(grp), 16, '0')
FROM (SELECT i, now() - i * interval '1 second' AS at, CASE WHEN i % 2 = 0 THEN 0 ELSE i * 7919 % 300 END AS grp
    FROM generate_series(1, 120000) AS i) AS d;

-- Pending and scheduled jobs.
INSERT INTO job (id, queue, type, priority, run_at, payload, created_at, unique_key, attempt, errors)
SELECT lpad(to_hex(i), 32, '0')::uuid, 'q' || i % 5, 't' || i % 20, i % 3,
    now() + CASE WHEN i % 2 = 0 THEN i ELSE -i END * interval '1 second', '{"order": 1}', now(),
    CASE WHEN i % 10 = 0 THEN 'key-' || i END, 1, '[{"attempt": 1, "at": "2026-01-01T00:00:00Z", "error": "oops"}]'
FROM generate_series(1, 240000) AS i;
INSERT INTO scheduled (epoch, hash, rank, run_at, id, type, size)
SELECT 1, hashtextextended(queue, 0), ~priority, run_at, id, type, 20 FROM job WHERE run_at > now();
INSERT INTO ready (epoch, hash, rank, run_at, id, type, size)
SELECT 1, hashtextextended(queue, 0), ~priority, run_at, id, type, 20 FROM job WHERE run_at <= now();

-- Waiting jobs: very many lanes with few jobs, and few lanes with very many.
INSERT INTO job (id, queue, type, priority, run_at, payload, created_at, limits, limit_keys, gates, line, seq)
SELECT lpad(to_hex(1000000 + i), 32, '0')::uuid, 'lanes', type, 0, now() - i * interval '1 second', '{"account": 1}',
    now(), ARRAY[name], ARRAY[key], ARRAY[hashtextextended(name || E'\x1f' || key, 0)],
    hashtextextended(name || key, 1), i
FROM (SELECT i, CASE i % 3 WHEN 0 THEN 'ledger' ELSE 'crm' END AS name, CASE i % 3 WHEN 0 THEN 'ledger.book'
        ELSE 'crm.sync' END AS type, CASE i % 3 WHEN 0 THEN (i / 3 % 30)::text WHEN 1 THEN i::text ELSE 'one' END AS key
    FROM generate_series(1, 120000) AS i) AS w;
INSERT INTO waiting (epoch, line, place, rank, hash, run_at, id, size, type)
SELECT 1, line, run_at, 0, hashtextextended(queue, 0), run_at, id, 20, type FROM job WHERE line IS NOT NULL;
SELECT close_lane('rare', i::text, now() + interval '1 day') FROM generate_series(1, 200) AS i;

-- Running jobs: no more than there are slots.
INSERT INTO job (id, queue, type, priority, run_at, payload, created_at)
SELECT lpad(to_hex(2000000 + i), 32, '0')::uuid, 'q0', 't0', 0, now(), '{}', now() FROM generate_series(1, 400) AS i;
INSERT INTO worker (id, host, pid, queues, types, started_at, beat_at, ttl)
SELECT lpad(to_hex(i), 32, '0')::uuid, 'host-' || i, i, '{q0,q1}', '{t0,t1}', now(), now(), '1 day'
FROM generate_series(1, 20) AS i;
INSERT INTO lease (number, worker_id, queue, claimed_at, ids, versions)
SELECT w, lpad(to_hex(w), 32, '0')::uuid, 'q0', now(), array_agg(lpad(to_hex(2000000 + w * 20 - i), 32, '0')::uuid),
    array_agg(0)
FROM generate_series(1, 20) AS w, generate_series(0, 19) AS i GROUP BY w;

INSERT INTO job_history (id, queue, type, state, priority, run_at, payload, attempt, created_at, finished_at)
SELECT lpad(to_hex(3000000 + i), 32, '0')::uuid, 'q' || i % 5, 't' || i % 20,
    CASE i % 2 WHEN 0 THEN 'CANCELLED' ELSE 'COMPLETED' END, 0, now(), '{}', 1, now(), now()
FROM generate_series(1, 120000) AS i;

INSERT INTO flow (id, kind, name, state, sealed, total, done, created_at, finished_at)
SELECT lpad(to_hex(i), 32, '0')::uuid, CASE i % 2 WHEN 0 THEN 'BATCH' ELSE 'FLOW' END, 'f' || i % 9, 'SUCCEEDED', true,
    3, 3, now(), now()
FROM generate_series(1, 120000) AS i;
INSERT INTO flow_step (flow, step, name, kind, state, job_id, spec, on_parent_dead)
SELECT lpad(to_hex(i), 32, '0')::uuid, s, 's' || s, 'job', 'DONE', gen_random_uuid(), '{"type": "t"}', 'CANCEL'
FROM generate_series(1, 60000, 2) AS i, generate_series(1, 3) AS s;
INSERT INTO audit (at, actor, action, target, jobs)
SELECT now(), 'ada', 'job.cancel', i::text, 1 FROM generate_series(1, 120000) AS i;
INSERT INTO throughput (step, type, queue, at, completed, failed, dead, wait_ms, run_ms)
SELECT 60, t, q, date_bin('1 minute', now(), 'epoch') - i * interval '1 minute', 1, 0, 0, 1, 1
FROM generate_series(0, 1500) AS i, unnest('{"", t0, t1, t2, t3, t4, t5, t6, t7, t8}'::text[]) AS t,
    unnest('{"", q0, q1, q2, q3, q4, lanes}'::text[]) AS q;
