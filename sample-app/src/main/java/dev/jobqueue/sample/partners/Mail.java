package dev.jobqueue.sample.partners;

import dev.jobqueue.JobType;

/** A mail that a tenant of the shop sends to one of its customers. */
@JobType("mail.send")
record Mail(String tenant, int number) {}
