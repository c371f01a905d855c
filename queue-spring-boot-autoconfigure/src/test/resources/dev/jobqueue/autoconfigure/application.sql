CREATE TABLE application AS SELECT to_regnamespace('queue') IS NULL AS before_the_queue;
