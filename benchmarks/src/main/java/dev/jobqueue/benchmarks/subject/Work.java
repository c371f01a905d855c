package dev.jobqueue.benchmarks.subject;

import dev.jobqueue.JobType;

/** The payload of our jobs: about a hundred bytes of JSON. */
@JobType("work")
record Work(long id, String to, String subject, boolean again) {

    static Work of(long id) {
        return new Work(id, "user" + id + "@example.org", "Your order has been shipped", false);
    }
}
