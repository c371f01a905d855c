package dev.jobqueue.sample.partners;

import dev.jobqueue.JobType;

/** An amount to be booked to an account, after all that were published before it. */
@JobType("ledger.book")
record Booking(String account, int amount) {}
