-- Per queue: OK, WARNING or CRITICAL by the number of pending jobs, with a message for people.
CREATE OR REPLACE VIEW health AS
WITH pending AS (
    SELECT j.queue, count(r.id) AS pending, count(w.id) AS waiting,
        min(greatest(j.run_at, j.created_at)) FILTER (WHERE r.id IS NOT NULL) AS oldest
    FROM job j LEFT JOIN ready r ON r.id = j.id LEFT JOIN waiting w ON w.id = j.id GROUP BY j.queue
), known AS (
    SELECT queue FROM pending UNION SELECT name FROM queue UNION SELECT queue FROM dead_letter
), measured AS (
    SELECT k.queue, coalesce(p.pending, 0) AS pending, coalesce(p.waiting, 0) AS waiting,
        statement_timestamp() - p.oldest AS oldest, q.paused_at,
        coalesce(q.pending_warning, s.pending_warning) AS warning,
        coalesce(q.pending_critical, s.pending_critical) AS critical
    FROM known k CROSS JOIN setting s LEFT JOIN pending p ON p.queue = k.queue LEFT JOIN queue q ON q.name = k.queue
)
SELECT queue,
    CASE WHEN pending > 0 AND pending >= critical THEN 'CRITICAL'
        WHEN pending > 0 AND pending >= warning THEN 'WARNING' ELSE 'OK' END AS status,
    format('%s pending', pending)
        || CASE WHEN pending > 0 AND pending >= critical THEN format(', critical from %s', critical)
            WHEN pending > 0 AND pending >= warning THEN format(', warning from %s', warning) ELSE '' END
        || CASE WHEN waiting > 0 THEN format(', %s waiting for their limits', waiting) ELSE '' END
        || coalesce(', oldest for ' || date_trunc('second', oldest), '')
        || coalesce(', paused since ' || date_trunc('second', paused_at), '') AS message,
    pending, oldest, paused_at, waiting
FROM measured;
