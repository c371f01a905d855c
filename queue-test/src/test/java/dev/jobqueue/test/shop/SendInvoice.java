package dev.jobqueue.test.shop;

import dev.jobqueue.JobType;

@JobType("invoice.send")
public record SendInvoice(long orderId, String email) {}
