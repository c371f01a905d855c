package dev.jobqueue.internal.node;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.db.LimitedTransactions;
import dev.jobqueue.internal.handle.HandlingSetup;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/**
 * What a node gets from the application.
 *
 * @param transactions the transactions of transactional handlers
 * @param publisher publishes what handlers publish
 * @param threads makes the threads of the handlers
 * @param connections opens the connection of the listener; {@code null} means polling only
 */
public record NodeResources(
        TransactionOperations transactions,
        JobPublisher publisher,
        ThreadFactory threads,
        @Nullable ConnectionFactory connections) {

    /** Transactions of handlers that leave some connections of a pool of this size to the rest of the node. */
    public static TransactionOperations limited(TransactionOperations transactions, int poolSize) {
        return LimitedTransactions.of(transactions, poolSize);
    }

    HandlingSetup.Resources handlers() {
        return new HandlingSetup.Resources(transactions, publisher, threads);
    }
}
