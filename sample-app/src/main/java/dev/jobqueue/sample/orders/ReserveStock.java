package dev.jobqueue.sample.orders;

import dev.jobqueue.JobType;

/** Asks for the goods of an order to be put aside. */
@JobType("stock.reserve")
record ReserveStock(long orderId) {}
