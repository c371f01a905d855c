package dev.jobqueue.internal.db;

import java.sql.Connection;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction in which the calling thread uses a {@link DataSource}. It is open if what the thread writes now
 * commits or rolls back with it.
 *
 * <p>A connection that is bound to the thread is not enough. Spring also binds one for a scope without a transaction,
 * and for a transaction of another manager; nobody commits those. And it keeps the connection bound while the callbacks
 * after a commit run.
 */
public final class CallersTransaction {

    private static final TransactionExecutionListener WATCH = new TransactionWatch();

    private static final TransactionDefinition SUPPORTS =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS);

    private final DataSource dataSource;

    /** Never begins a transaction: it only tells whether there is one. */
    private final DataSourceTransactionManager observer;

    public CallersTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
        this.observer = new DataSourceTransactionManager(dataSource);
        this.observer.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
    }

    /**
     * Notes when transactions of this manager complete. The callbacks after the commit of a manager that is not watched
     * look like a part of the transaction.
     */
    public static void watch(ConfigurableTransactionManager manager) {
        if (!manager.getTransactionExecutionListeners().contains(WATCH)) {
            manager.addListener(WATCH);
        }
    }

    public boolean isOpen() {
        ConnectionHolder holder = holder();
        return holder != null && !FollowUps.isCompleting(holder);
    }

    /**
     * The connection that the thread keeps while the callbacks after a completion run; {@code null} if there is none,
     * or if it cannot be used. A publisher in such a callback must not wait for a second connection: threads that hold
     * all connections of the pool would wait for each other.
     */
    static @Nullable Connection idleConnection(DataSource dataSource) {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                        && FollowUps.isCompleted(holder)
                        && IdleConnections.isIdle(holder.getConnection())
                ? holder.getConnection()
                : null;
    }

    /**
     * Runs an action after the commit, once for each key.
     *
     * @param action makes the action, if the open transaction has none for this key
     * @return the action, which can be changed until the commit
     */
    public <T extends Runnable> T afterCommit(Class<T> type, Object key, Supplier<T> action) {
        ConnectionHolder holder = Objects.requireNonNull(holder(), "no transaction is open");
        FollowUps followUps = FollowUps.of(holder);
        if (followUps == null) {
            followUps = FollowUps.ofCurrentScope();
        }
        return type.cast(followUps.get(key, action));
    }

    /** Runs an action after the commit, at once if no transaction is open. */
    public void afterCommit(Runnable action) {
        if (isOpen()) {
            afterCommit(Runnable.class, action, () -> action);
        } else {
            action.run();
        }
    }

    /** Runs after a commit, and is told if there is none. */
    public interface FollowUp extends Runnable {

        /** The transaction was rolled back, or nobody knows. */
        void rolledBack();
    }

    /** The connection of a transaction that a manager began; none while the callbacks after a completion run. */
    private @Nullable ConnectionHolder holder() {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                        && (TransactionSynchronizationManager.isSynchronizationActive() || FollowUps.of(holder) != null)
                        && isManaged(holder)
                ? holder
                : null;
    }

    /**
     * A holder of JPA is never synchronized; for the others, a flag of the JDBC manager says whether it manages them.
     */
    private boolean isManaged(ConnectionHolder holder) {
        return !holder.isSynchronizedWithTransaction()
                || observer.getTransaction(SUPPORTS).hasTransaction();
    }
}
