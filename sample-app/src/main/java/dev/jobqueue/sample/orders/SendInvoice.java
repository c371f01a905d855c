package dev.jobqueue.sample.orders;

import dev.jobqueue.JobType;

/** Asks for the invoice of an order to be mailed. */
@JobType("invoice.send")
record SendInvoice(long orderId, String email) {}
