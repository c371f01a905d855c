package dev.jobqueue.internal.worker;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.store.JobStore;

/**
 * What a running job needs to do what its handler asks for.
 *
 * @param store apart from the handler's transaction, so that progress is seen at once
 * @param reports for handlers that hold a connection: these must not wait for a second one
 */
record JobTools(JobStore store, Json json, JobPublisher publisher, Timeouts timeouts, ReportSender reports) {}
