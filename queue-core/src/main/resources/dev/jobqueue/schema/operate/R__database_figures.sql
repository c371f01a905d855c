-- What of PostgreSQL itself slows a queue down: old snapshots that hold back vacuum, dead tuples, a full NOTIFY queue.
-- Sessions of other roles are seen only if the owner of the schema has pg_read_all_stats.
CREATE OR REPLACE FUNCTION database_figures() RETURNS TABLE (
    transaction_ms bigint, transaction_by text, xmin_age bigint, live_tuples bigint, dead_tuples bigint,
    vacuumed_at timestamptz, notification_usage float8
)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off
AS $$
    WITH oldest AS (
        SELECT extract(epoch FROM clock_timestamp() - a.xact_start) * 1000 AS ms,
            format('pid %s, role %s, application %s, %s', a.pid, quote_literal(a.usename),
                quote_literal(a.application_name), a.state) AS by
        FROM pg_stat_activity a
        WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL
            AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL) AND a.backend_type = 'client backend'
        ORDER BY a.xact_start LIMIT 1
    ), held AS (
        -- without a database: a standby that says what it still reads
        SELECT age(backend_xmin) AS xmin_age FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND coalesce(datname, current_database()) = current_database()
            AND backend_type <> 'autovacuum worker'
        UNION ALL SELECT age(xmin) FROM pg_replication_slots
        UNION ALL SELECT age(transaction) FROM pg_prepared_xacts WHERE database = current_database()
    )
    SELECT (SELECT greatest(0, ms)::bigint FROM oldest), (SELECT by FROM oldest),
        (SELECT max(xmin_age)::bigint FROM held), pg_stat_get_live_tuples('job'::regclass),
        pg_stat_get_dead_tuples('job'::regclass) + pg_stat_get_dead_tuples('ready'::regclass),
        greatest(pg_stat_get_last_vacuum_time('job'::regclass), pg_stat_get_last_autovacuum_time('job'::regclass)),
        pg_notification_queue_usage()
$$;

REVOKE ALL ON FUNCTION database_figures() FROM PUBLIC;
