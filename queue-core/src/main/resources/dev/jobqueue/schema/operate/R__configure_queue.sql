-- Settings of one queue. NULL leaves a setting as it is. Retention 0 keeps no history. Returns as configure does.
CREATE OR REPLACE FUNCTION configure_queue(
    name text, retention interval DEFAULT NULL, pending_warning int DEFAULT NULL, pending_critical int DEFAULT NULL,
    owner text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    held queue;
    own record;
BEGIN
    PERFORM internal_check_name('name', configure_queue.name);
    PERFORM internal_check_settings(
        configure_queue.retention, configure_queue.pending_warning, configure_queue.pending_critical);
    INSERT INTO queue (name) VALUES (configure_queue.name) ON CONFLICT DO NOTHING;
    SELECT * INTO held FROM queue AS q WHERE q.name = configure_queue.name FOR UPDATE;
    own := internal_own(to_jsonb(held), jsonb_build_object('retention', configure_queue.retention,
        'pending_warning', configure_queue.pending_warning, 'pending_critical', configure_queue.pending_critical),
        held.owners, configure_queue.owner);
    UPDATE queue AS q SET retention = coalesce(configure_queue.retention, q.retention),
        pending_warning = coalesce(configure_queue.pending_warning, q.pending_warning),
        pending_critical = coalesce(configure_queue.pending_critical, q.pending_critical), owners = own.owners_now
    WHERE q.name = configure_queue.name;
    RETURN own.replaced;
END
$$;

REVOKE ALL ON FUNCTION configure_queue(text, interval, int, int, text) FROM PUBLIC;
