-- Settings for all queues without their own. NULL leaves a setting as it is. Retention 0 keeps no history.
-- Returns the application whose values were replaced by other ones of another application (owner), else NULL.
CREATE OR REPLACE FUNCTION configure(
    retention interval DEFAULT NULL, max_payload_bytes int DEFAULT NULL, pending_warning int DEFAULT NULL,
    pending_critical int DEFAULT NULL, owner text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    held setting;
    own record;
BEGIN
    PERFORM internal_check_settings(configure.retention, configure.pending_warning, configure.pending_critical);
    IF configure.max_payload_bytes NOT BETWEEN 1000 AND 268435455 THEN
        PERFORM internal_invalid('max_payload_bytes', configure.max_payload_bytes::text,
            'must be between 1000 and 268435455');
    END IF;
    SELECT * INTO held FROM setting AS s WHERE s.only_row FOR UPDATE;
    own := internal_own(to_jsonb(held), jsonb_build_object('retention', configure.retention,
        'max_payload_bytes', configure.max_payload_bytes, 'pending_warning', configure.pending_warning,
        'pending_critical', configure.pending_critical), held.owners, configure.owner);
    UPDATE setting AS s SET retention = coalesce(configure.retention, s.retention),
        max_payload_bytes = coalesce(configure.max_payload_bytes, s.max_payload_bytes),
        pending_warning = coalesce(configure.pending_warning, s.pending_warning),
        pending_critical = coalesce(configure.pending_critical, s.pending_critical), owners = own.owners_now
    WHERE s.only_row;
    RETURN own.replaced;
END
$$;

REVOKE ALL ON FUNCTION configure(interval, int, int, int, text) FROM PUBLIC;
