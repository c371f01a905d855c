-- Roles with EXECUTE alone: they call the functions, and can neither read nor write the tables. Not run by Flyway.
--
--   queue_publisher   publish, publish_many, uuidv7
--   queue_worker      what a publisher may, and what a worker calls
--
-- Run by the owner of the schema, with CREATEROLE, after each migration that brings functions; may be run again:
--
--   psql -v schema=queue -f roles.sql      (without -v: the schema that comes first in the search_path)
--
-- Then: GRANT queue_worker TO my_application;

\if :{?schema}
SELECT set_config('search_path', quote_ident(:'schema'), false);
\endif

DO $$
DECLARE
    publisher constant text[] := '{publish, publish_many, uuidv7}';
    worker constant text[] := publisher || '{claim, complete, complete_many, fail, fail_many, snooze, release,
        heartbeat, unregister, extend, progress, log, save_step, cancel, rescue, next_rescue, promote, prune, find_job,
        set_retry_policy, due_schedules, next_schedule, fire_schedules, find_schedules, set_schedule, retire_schedules,
        delete_schedule, pause_schedule, resume_schedule, run_schedule_now, figures, database_figures, unhandled,
        nodes, overdue_schedules, count_overdue_schedules, find_jobs, show_job, why, count_dead}';
    grantee record;
    callable regprocedure;
BEGIN
    FOR grantee IN SELECT * FROM (VALUES ('queue_publisher', publisher), ('queue_worker', worker)) AS g (role, calls)
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = grantee.role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', grantee.role);
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), grantee.role);
        FOR callable IN SELECT oid FROM pg_proc
            WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname = ANY (grantee.calls)
        LOOP
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', callable, grantee.role);
        END LOOP;
    END LOOP;
END
$$;
