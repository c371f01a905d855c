-- snippet: limits-sql
SELECT queue.set_limit('crm-api', rate => 100, period => '10 seconds', burst => 10);
SELECT queue.use_limits('account.sync', NULL, '{crm-api}');
SELECT queue.publish('export.run', '"all"', limits => '{"crm-api": ""}');
SELECT name, held, waiting, blocked FROM queue.find_limits();
-- end
