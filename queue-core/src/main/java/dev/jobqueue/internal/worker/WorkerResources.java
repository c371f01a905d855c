package dev.jobqueue.internal.worker;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;
import java.util.concurrent.ThreadFactory;
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
public record WorkerResources(
        DataSource dataSource,
        TransactionOperations transactions,
        Json json,
        JobPublisher publisher,
        ThreadFactory threads,
        @Nullable ConnectionFactory connections) {}
