package dev.jobqueue.internal.db;

import dev.jobqueue.internal.db.CallersTransaction.FollowUp;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What follows the commit of one transaction. It is bound to the thread by the connection of the transaction, because
 * the synchronizations are out of reach while a transaction of another manager runs within this one.
 */
final class FollowUps implements TransactionSynchronization {

    /**
     * The connections of transactions that commit or roll back; {@code true} for those that have done so. They stay
     * bound to their thread while the callbacks run, and scopes that begin in these callbacks take them for a
     * transaction. A holder is used for one transaction only.
     */
    private static final Map<ConnectionHolder, Boolean> COMPLETING = Collections.synchronizedMap(new WeakHashMap<>());

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

    /** The follow-ups of a transaction whose manager is not watched. */
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

    /** Does nothing if the connection belongs to a transaction around this one, which another manager began. */
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

    /** Whether the transaction of this connection commits or rolls back, or has done so. */
    static boolean isCompleting(ConnectionHolder holder) {
        return COMPLETING.containsKey(holder);
    }

    /** Whether the transaction of this connection has committed or rolled back, so that the connection is free. */
    static boolean isCompleted(ConnectionHolder holder) {
        return Boolean.TRUE.equals(COMPLETING.get(holder));
    }

    boolean belongTo(TransactionExecution other) {
        return transaction == other;
    }

    Runnable get(Object key, Supplier<? extends Runnable> action) {
        return actions.computeIfAbsent(key, none -> action.get());
    }

    /** The transaction is about to commit or to roll back. */
    void transactionCompletes() {
        if (holder != null) {
            COMPLETING.put(holder, false);
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
        connectionIsFree(true);
        actions.values().forEach(Runnable::run);
    }

    private void connectionIsFree(boolean free) {
        if (holder != null) {
            COMPLETING.replace(holder, free);
        }
    }

    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_COMMITTED && !told) {
            // a callback before this one has thrown, or there are none
            afterCommit();
        } else if (status != STATUS_COMMITTED) {
            connectionIsFree(status == STATUS_ROLLED_BACK);
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
