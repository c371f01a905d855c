-- Guards shared by configure and configure_queue. The retention's limit keeps clock - retention a timestamp.
CREATE OR REPLACE FUNCTION internal_check_settings(retention interval, pending_warning int, pending_critical int)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    IF NOT isfinite(retention) OR retention NOT BETWEEN '0' AND '100 years' THEN
        PERFORM internal_invalid('retention', retention::text, 'must be at least 0 and at most 100 years');
    ELSIF pending_warning < 0 THEN
        PERFORM internal_invalid('pending_warning', pending_warning::text, 'must be at least 0');
    ELSIF pending_critical < 0 THEN
        PERFORM internal_invalid('pending_critical', pending_critical::text, 'must be at least 0');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_check_settings(interval, int, int) FROM PUBLIC;
