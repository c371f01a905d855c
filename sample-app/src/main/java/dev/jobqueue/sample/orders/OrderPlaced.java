package dev.jobqueue.sample.orders;

import dev.jobqueue.Forwarded;
import java.math.BigDecimal;

/** What other systems hear of an order, if they want to: the events of an order in their order. */
@Forwarded(kafka = "orders", key = "orderId", ordered = true, cloudEvent = "order.placed")
record OrderPlaced(long orderId, String customer, BigDecimal total) {}
