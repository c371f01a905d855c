package dev.jobqueue.internal.handle;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;

/**
 * What a running job needs to do what its handler asks for.
 *
 * @param calls stores reports apart from the handler's transaction, so that others see them at once
 * @param reports sends the reports of transactional handlers: these hold a connection and must not wait for another
 */
public record JobTools(ReportCalls calls, Json json, JobPublisher publisher, Timeouts timeouts, ReportSender reports) {}
