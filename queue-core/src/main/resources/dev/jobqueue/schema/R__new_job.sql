-- -> PENDING: an insert here publishes a small job that is due at once, under an id that was never used. The cheapest way, for
-- publishers of one job at a time: no function, so nothing to call and no reason given when a row is refused.
CREATE OR REPLACE VIEW new_job AS
SELECT id, type, payload, queue, priority, headers FROM job
-- The rules of publish; and no payload that the setting max_payload_bytes, which is at least 1,000, could forbid.
WHERE length(type) BETWEEN 1 AND 200 AND type !~ '^\s|\s$|[[:cntrl:]]'
    AND (queue = 'default' OR length(queue) BETWEEN 1 AND 200 AND queue !~ '^\s|\s$|[[:cntrl:]]')
    AND octet_length(payload::text) <= 1000 AND jsonb_typeof(headers) = 'object'
WITH CHECK OPTION;
