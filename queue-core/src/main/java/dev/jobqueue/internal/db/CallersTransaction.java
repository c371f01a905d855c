package dev.jobqueue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
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

    private static final TransactionExecutionListener WATCH = new Watch();

    /**
     * The connections of transactions that commit or roll back; {@code true} for those that have done so. They stay
     * bound to their thread while the callbacks run, and scopes that begin in these callbacks take them for a
     * transaction. Each is used once.
     */
    private static final Map<ConnectionHolder, Boolean> COMPLETING = Collections.synchronizedMap(new WeakHashMap<>());

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
        return holder != null && !COMPLETING.containsKey(holder);
    }

    /**
     * The connection that the thread keeps while the callbacks after a completion run; {@code null} if there is none,
     * or if it cannot be used. Who publishes in such a callback must not wait for a second one: threads that hold all
     * connections of the pool would wait for each other.
     */
    static @Nullable Connection idleConnection(DataSource dataSource) {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                        && Boolean.TRUE.equals(COMPLETING.get(holder))
                        && isIdle(holder.getConnection())
                ? holder.getConnection()
                : null;
    }

    /** A callback before may have begun something. JDBC refuses this call within a transaction, and only there. */
    private static boolean isIdle(Connection connection) {
        try {
            boolean readOnly = connection.isReadOnly();
            connection.setReadOnly(readOnly);
            return !readOnly;
        } catch (SQLException ex) {
            return false;
        }
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
        return type.cast(followUps.actions.computeIfAbsent(key, none -> action.get()));
    }

    /** Runs an action after the commit, at once if no transaction is open. */
    public void afterCommit(Runnable action) {
        if (isOpen()) {
            afterCommit(Runnable.class, action, () -> action);
        } else {
            action.run();
        }
    }

    /** What runs after a commit, and wants to know if there is none. */
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

    /** JPA's holders are those that are not synchronized; of the others, the flag of JDBC's manager tells. */
    private boolean isManaged(ConnectionHolder holder) {
        return !holder.isSynchronizedWithTransaction()
                || observer.getTransaction(SUPPORTS).hasTransaction();
    }

    /**
     * What follows the commit of one transaction. It is bound to the thread by the connection of the transaction,
     * because the synchronizations are out of reach while a transaction of another manager runs within this one.
     */
    private static final class FollowUps implements TransactionSynchronization {

        private final @Nullable ConnectionHolder holder;
        private final @Nullable TransactionExecution transaction;
        private final Map<Object, Runnable> actions = new LinkedHashMap<>();
        private boolean told;

        private FollowUps(@Nullable ConnectionHolder holder, @Nullable TransactionExecution transaction) {
            this.holder = holder;
            this.transaction = transaction;
        }

        static @Nullable FollowUps of(ConnectionHolder holder) {
            return (FollowUps) TransactionSynchronizationManager.getResource(holder);
        }

        /** Those of a transaction whose manager is not watched. */
        static FollowUps ofCurrentScope() {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof FollowUps followUps && followUps.holder == null) {
                    return followUps;
                }
            }
            FollowUps added = new FollowUps(null, null);
            TransactionSynchronizationManager.registerSynchronization(added);
            return added;
        }

        /** Not if the connection is that of a transaction around this one, which another manager began. */
        static void begin(ConnectionHolder holder, TransactionExecution transaction) {
            if (of(holder) != null) {
                return;
            }
            FollowUps added = new FollowUps(holder, transaction);
            TransactionSynchronizationManager.bindResource(holder, added);
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(added);
            }
        }

        /** The first: the callbacks after it may use the connection, and are left out once one of them throws. */
        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            told = true;
            connectionIsIdle(true);
            actions.values().forEach(Runnable::run);
        }

        private void connectionIsIdle(boolean idle) {
            if (holder != null) {
                COMPLETING.replace(holder, idle);
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_COMMITTED && !told) {
                // a callback before this one has thrown, or there are none
                afterCommit();
            } else if (status != STATUS_COMMITTED) {
                connectionIsIdle(status == STATUS_ROLLED_BACK);
                actions.values().forEach(action -> {
                    if (action instanceof FollowUp followUp) {
                        followUp.rolledBack();
                    }
                });
            }
            if (holder != null) {
                TransactionSynchronizationManager.unbindResourceIfPossible(holder);
            }
        }
    }

    /** Told by managers, between the callbacks before and those after a commit. */
    private static final class Watch implements TransactionExecutionListener {

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            ConnectionHolder holder = holder(transaction);
            if (failure == null && holder != null) {
                FollowUps.begin(holder, transaction);
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            complete(transaction);
        }

        @Override
        public void beforeRollback(TransactionExecution transaction) {
            complete(transaction);
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            completed(
                    transaction,
                    failure == null
                            ? TransactionSynchronization.STATUS_COMMITTED
                            : TransactionSynchronization.STATUS_UNKNOWN);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            completed(transaction, TransactionSynchronization.STATUS_ROLLED_BACK);
        }

        private static void complete(TransactionExecution transaction) {
            FollowUps followUps = followUps(transaction);
            if (followUps != null && followUps.holder != null) {
                COMPLETING.put(followUps.holder, false);
            }
        }

        /** Of a manager that calls no synchronizations: the others have done this by now. */
        private static void completed(TransactionExecution transaction, int status) {
            FollowUps followUps = followUps(transaction);
            if (followUps != null) {
                followUps.afterCompletion(status);
            }
        }

        private static @Nullable FollowUps followUps(TransactionExecution transaction) {
            ConnectionHolder holder = holder(transaction);
            FollowUps followUps = holder == null ? null : FollowUps.of(holder);
            return followUps != null && followUps.transaction == transaction ? followUps : null;
        }

        /** Not of a savepoint, which belongs to a transaction that goes on. */
        private static @Nullable ConnectionHolder holder(TransactionExecution transaction) {
            return transaction.isNewTransaction()
                            && transaction instanceof DefaultTransactionStatus status
                            && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                            && jdbc.hasConnectionHolder()
                    ? jdbc.getConnectionHolder()
                    : null;
        }
    }
}
