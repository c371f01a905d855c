-- snippet: sql-publish
SELECT queue.publish('invoice.send', '{"orderId": 42, "email": "sql@example.org"}');
-- end
