-- Every live job with its state, and who has it. state, lease, worker_id and claimed_at follow from where it stands;
-- attempt counts the running one.
CREATE OR REPLACE VIEW live_job AS
SELECT j.id, j.queue, j.type,
    CASE WHEN l.number IS NOT NULL THEN 'RUNNING' WHEN s.id IS NOT NULL THEN 'SCHEDULED'
        WHEN j.line IS NOT NULL THEN 'WAITING' ELSE 'PENDING' END AS state,
    j.priority, j.run_at, j.payload, j.headers, j.attempt + (l.number IS NOT NULL)::int AS attempt, j.max_attempts,
    j.timeout, j.unique_key, j.created_at, (l.number << 12) | (j.version & 4095) AS lease, l.worker_id, l.claimed_at,
    -- As internal_timeout_at, which readers of this view may not call.
    CASE WHEN l.number IS NOT NULL THEN coalesce(j.timeout_at, l.claimed_at + coalesce(j.timeout,
        (SELECT p.timeout FROM retry_policy p WHERE p.type = j.type))) END AS timeout_at,
    j.cancel_requested_at, j.percent, j.stage, j.errors, j.steps, j.events, j.spared,
    j.superseded_by, j.limits, j.limit_keys, j.gates, j.line, j.seq, j.flow,
    j.flow_step
FROM job j
    LEFT JOIN (SELECT l.number, l.worker_id, l.claimed_at, h.id, h.version
        FROM lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)) AS l
        ON l.id = j.id AND l.version = j.version
    LEFT JOIN scheduled s ON s.hash = hashtextextended(j.queue, 0) AND s.run_at = j.run_at AND s.id = j.id;
