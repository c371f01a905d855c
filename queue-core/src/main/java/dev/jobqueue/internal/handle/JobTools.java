package dev.jobqueue.internal.handle;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * What a running job needs to do what its handler asks for.
 *
 * @param calls apart from the handler's transaction, so that progress is seen at once
 * @param reports for handlers that hold a connection: these must not wait for a second one
 * @param workerId of this node, at the moment
 */
public record JobTools(
        ReportCalls calls,
        Json json,
        JobPublisher publisher,
        Timeouts timeouts,
        ReportSender reports,
        Supplier<UUID> workerId) {}
