-- Roles that call the functions, and can neither read nor write the tables. No migration runs this.
--
--   queue_publisher  publishes, and sees figures: what a node that only publishes needs, with its health and meters
--   queue_worker     what a publisher may, what a worker calls, and what a node stores of its own properties at start
--   queue_viewer     looks: figures, nodes, schedules, jobs with their payloads, and the views stats and health
--   queue_operator   what a viewer may, and acts: on jobs one by one or by filter, on queues, settings and schedules
--
-- Run by a superuser, or by the owner of the schema with CREATEROLE, after each migration that brings functions; may be
-- run again:
--
--   psql -v schema=queue -f roles.sql      (without -v: the schema queue)
--
-- Then: GRANT queue_worker TO my_application;

BEGIN;

-- Until the COMMIT only: behind a pooler the session is shared.
\if :{?schema}
SET LOCAL search_path = :"schema";
\else
SET LOCAL search_path = queue;
\endif

DO $$
DECLARE
    figures constant text[] := '{schema_version, figures, database_figures, unhandled, nodes, overdue_schedules,
        count_overdue_schedules, find_limits}';
    publisher constant text[] := figures || '{publish, publish_many, publish_with_outcome, uuidv7, open_batch,
        add_members, seal_batch, publish_flow, add_steps, signal_flow}';
    viewer constant text[] := figures || '{find_job, find_jobs, count_jobs, why, find_schedules, find_lanes,
        find_flow, find_flows, flow_graph, flow_figures, throughput, throughput_by_queue, dead_groups, find_actions}';
    worker constant text[] := publisher || viewer || '{claim, confirm, complete, complete_many, fail, fail_many,
        snooze, rate_limited, release, heartbeat, unregister, extend, progress, log, save_step, cancel, rescue,
        next_rescue, promote, prune, measure, configure, configure_queue, set_retry_policy, set_limit, remove_limit,
        use_limits, due_schedules, next_schedule, fire_schedules, set_schedule, retire_schedules, delete_schedule,
        pause_schedule, resume_schedule, run_schedule_now, resolve, step_results, cancel_flow}';
    operator constant text[] := viewer || '{cancel, cancel_jobs, retry, retry_jobs, replay, replay_jobs, purge,
        purge_jobs, reprioritise, reprioritise_jobs, reschedule, reschedule_jobs, pause, resume, configure,
        configure_queue, set_retry_policy, set_limit, remove_limit, use_limits, release_lane, close_lane, set_schedule,
        delete_schedule, pause_schedule, resume_schedule, run_schedule_now, record_action, add_to_action, undo_action,
        cancel_flow, signal_flow}';
    grantee record;
    callable regprocedure;
BEGIN
    FOR grantee IN SELECT * FROM (VALUES ('queue_publisher', publisher, false), ('queue_worker', worker, false),
        ('queue_viewer', viewer, true), ('queue_operator', operator, true)) AS g (role, calls, reads_views)
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
        IF grantee.reads_views THEN
            EXECUTE format('GRANT SELECT ON %1$I.stats, %1$I.health TO %2$I', current_schema(), grantee.role);
        END IF;
    END LOOP;
END
$$;

COMMIT;
