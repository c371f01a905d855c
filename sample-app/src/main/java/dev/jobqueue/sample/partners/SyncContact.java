package dev.jobqueue.sample.partners;

import dev.jobqueue.JobType;

/** Asks for a contact to be sent to the partner's API. */
@JobType("contact.sync")
record SyncContact(int number) {}
