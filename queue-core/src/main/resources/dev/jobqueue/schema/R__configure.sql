-- Settings for all queues without their own. NULL leaves a setting as it is. Retention 0 keeps no history.
CREATE OR REPLACE FUNCTION configure(
    retention interval DEFAULT NULL, max_payload_bytes int DEFAULT NULL, pending_warning int DEFAULT NULL,
    pending_critical int DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    PERFORM internal_check_settings(configure.retention, configure.pending_warning, configure.pending_critical);
    IF configure.max_payload_bytes NOT BETWEEN 1000 AND 268435455 THEN
        PERFORM internal_invalid('max_payload_bytes', configure.max_payload_bytes::text,
            'must be between 1000 and 268435455');
    END IF;
    UPDATE setting AS s SET retention = coalesce(configure.retention, s.retention),
        max_payload_bytes = coalesce(configure.max_payload_bytes, s.max_payload_bytes),
        pending_warning = coalesce(configure.pending_warning, s.pending_warning),
        pending_critical = coalesce(configure.pending_critical, s.pending_critical)
    WHERE s.only_row;
END
$$;

REVOKE ALL ON FUNCTION configure(interval, int, int, int) FROM PUBLIC;
