-- Settings of one queue. NULL leaves a setting as it is. Retention 0 keeps no history.
CREATE OR REPLACE FUNCTION configure_queue(
    name text, retention interval DEFAULT NULL, pending_warning int DEFAULT NULL, pending_critical int DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    PERFORM internal_check_name('name', configure_queue.name);
    PERFORM internal_check_settings(
        configure_queue.retention, configure_queue.pending_warning, configure_queue.pending_critical);
    INSERT INTO queue AS q (name, retention, pending_warning, pending_critical) VALUES (configure_queue.name,
        configure_queue.retention, configure_queue.pending_warning, configure_queue.pending_critical)
    ON CONFLICT (name) DO UPDATE SET retention = coalesce(excluded.retention, q.retention),
        pending_warning = coalesce(excluded.pending_warning, q.pending_warning),
        pending_critical = coalesce(excluded.pending_critical, q.pending_critical);
END
$$;

REVOKE ALL ON FUNCTION configure_queue(text, interval, int, int) FROM PUBLIC;
