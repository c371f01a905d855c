-- snippet: sql-overdue
SELECT name, coalesce(unmet_since, next_run_at, counted_from) AS due_since, last_run_at, problem FROM queue.schedule
WHERE paused_at IS NULL AND retired_at IS NULL
    AND coalesce(unmet_since, next_run_at, counted_from) < now() - interval '1 minute';
-- end
