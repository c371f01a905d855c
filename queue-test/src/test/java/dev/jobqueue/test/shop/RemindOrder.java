package dev.jobqueue.test.shop;

import dev.jobqueue.JobType;

@JobType("order.remind")
public record RemindOrder(long orderId) {}
