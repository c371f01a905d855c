-- What a job stored while it ran. Deleted when the job is neither live nor in dead_letter nor in job_history.

CREATE TABLE job_step (
    job_id uuid NOT NULL,
    step text NOT NULL,
    result jsonb,
    finished_at timestamptz NOT NULL,
    PRIMARY KEY (job_id, step)
);

CREATE TABLE job_event (
    job_id uuid NOT NULL,
    number int NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    level text,
    percent smallint,
    stage text,
    message text,
    PRIMARY KEY (job_id, number),
    CONSTRAINT job_event_kind CHECK (kind IN ('PROGRESS', 'LOG'))
);
