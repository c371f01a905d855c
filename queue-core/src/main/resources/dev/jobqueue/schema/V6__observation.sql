-- For looking at constant cost, however much there is. Publishing a due job, claiming and completing touch neither.
CREATE INDEX job_scheduled ON job (queue, run_at, id) WITH (deduplicate_items = off) WHERE state = 'SCHEDULED';
CREATE INDEX dead_letter_died_at ON dead_letter (died_at, id);
