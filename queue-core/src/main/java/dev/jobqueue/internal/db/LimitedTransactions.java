package dev.jobqueue.internal.db;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The transactions of handlers, so few at once that the pool has connections left: the node must go on beating, and
 * store what handlers report, while the handlers hold their connections.
 */
public final class LimitedTransactions implements TransactionOperations {

    /** How many connections handlers leave to the rest of the node. */
    private static final int RESERVED = 2;

    private final TransactionOperations target;
    private final Semaphore permits;

    private LimitedTransactions(TransactionOperations target, int most) {
        this.target = target;
        this.permits = new Semaphore(most, true);
    }

    /** Limits the transactions to what a pool of this size can bear. */
    public static TransactionOperations of(TransactionOperations target, int poolSize) {
        return new LimitedTransactions(target, Math.max(1, poolSize - RESERVED));
    }

    @Override
    public <T extends @Nullable Object> T execute(TransactionCallback<T> action) {
        try {
            permits.acquire();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new CannotCreateTransactionException("Interrupted while waiting for other handlers' connections", ex);
        }
        try {
            return target.execute(action);
        } finally {
            permits.release();
        }
    }
}
