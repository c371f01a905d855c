-- snippet: forward-sql
SELECT queue.publish('forward.kafka',
    '{"topic": "orders", "key": "42", "body": {"orderId": 42}}',
    queue => 'forward.kafka', limits => '{"forward.kafka": "orders 42"}');
-- end
