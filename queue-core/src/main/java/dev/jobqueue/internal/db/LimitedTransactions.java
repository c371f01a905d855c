package dev.jobqueue.internal.db;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The transactions of handlers, only so many at once that the pool has connections left: the node must go on beating,
 * and tell what handlers report, while they hold theirs.
 */
public final class LimitedTransactions implements TransactionOperations {

    /** What handlers leave to everybody else. */
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
