package dev.jobqueue.internal.node;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Interceptors;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.handle.HandlingSetup;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/**
 * What a worker gets from the application.
 *
 * @param transactions those of transactional handlers
 * @param publisher for what handlers publish
 * @param threads makes the threads of the handlers
 * @param connections where the listener gets its connection; {@code null} means polling only
 */
public record NodeResources(
        DataSource dataSource,
        TransactionOperations transactions,
        Json json,
        JobPublisher publisher,
        ThreadFactory threads,
        @Nullable ConnectionFactory connections) {

    HandlingSetup handling(
            NodeSettings settings,
            HandlerRegistry handlers,
            Interceptors interceptors,
            QueueEvents events,
            Supplier<UUID> workerId) {
        return new HandlingSetup(
                handlers,
                settings.slots(),
                settings.maxClaimBytes(),
                dataSource,
                settings.schema(),
                transactions,
                json,
                publisher,
                threads,
                interceptors,
                events,
                workerId);
    }
}
