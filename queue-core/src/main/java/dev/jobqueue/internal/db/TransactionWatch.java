package dev.jobqueue.internal.db;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;

/** Hears from a transaction manager when its transactions begin and complete, and tells their {@link FollowUps}. */
final class TransactionWatch implements TransactionExecutionListener {

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        ConnectionHolder holder = holder(transaction);
        if (failure == null && holder != null) {
            FollowUps.begin(holder, transaction);
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        completes(transaction);
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        completes(transaction);
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

    private static void completes(TransactionExecution transaction) {
        FollowUps followUps = followUps(transaction);
        if (followUps != null) {
            followUps.transactionCompletes();
        }
    }

    /** Matters for a manager that calls no synchronizations: the others have called {@link FollowUps} by now. */
    private static void completed(TransactionExecution transaction, int status) {
        FollowUps followUps = followUps(transaction);
        if (followUps != null) {
            followUps.afterCompletion(status);
        }
    }

    private static @Nullable FollowUps followUps(TransactionExecution transaction) {
        ConnectionHolder holder = holder(transaction);
        FollowUps followUps = holder == null ? null : FollowUps.of(holder);
        return followUps != null && followUps.belongTo(transaction) ? followUps : null;
    }

    /** The connection of a new transaction; {@code null} for a savepoint, whose transaction goes on. */
    private static @Nullable ConnectionHolder holder(TransactionExecution transaction) {
        return transaction.isNewTransaction()
                        && transaction instanceof DefaultTransactionStatus status
                        && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                        && jdbc.hasConnectionHolder()
                ? jdbc.getConnectionHolder()
                : null;
    }
}
