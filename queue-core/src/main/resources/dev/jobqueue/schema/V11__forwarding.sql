-- The limits that keep forwarded messages in order: one lane for each topic or exchange and key. They are there before
-- anybody publishes, because publishers need not know the broker, nor have the right to set limits. A series is short:
-- its messages go one after the other, and those of many lanes side by side.
INSERT INTO job_limit (name, kind, running, at_limit, on_dead, owner)
VALUES ('forward.kafka', 'FIFO', 20, 'WAIT', 'BLOCK', ''), ('forward.rabbit', 'FIFO', 20, 'WAIT', 'BLOCK', '');
