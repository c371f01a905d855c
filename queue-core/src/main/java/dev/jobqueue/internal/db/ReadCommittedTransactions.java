package dev.jobqueue.internal.db;

import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Short transactions of the queue's own, READ COMMITTED and READ WRITE, whatever manages those of the application and
 * whatever these begin with. That is set by a statement of the transaction: the driver would set that of the session,
 * which a pooler gives to others. Within a transaction of the caller they are a part of it, as it is.
 */
public final class ReadCommittedTransactions implements TransactionOperations {

    private static final String BEGINNING = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE";

    private final TransactionTemplate transactions;
    private final JdbcTemplate jdbc;
    private final String beginning;

    public ReadCommittedTransactions(DataSource dataSource) {
        this(dataSource, TransactionDefinition.PROPAGATION_REQUIRED, BEGINNING);
    }

    private ReadCommittedTransactions(DataSource dataSource, int propagation, String beginning) {
        JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
        CallersTransaction.watch(manager);
        this.transactions = new TransactionTemplate(manager);
        this.transactions.setPropagationBehavior(propagation);
        this.jdbc = new JdbcTemplate(dataSource);
        this.beginning = beginning;
    }

    /** Returns these transactions with a limit on how long each call waits for a lock of somebody else. */
    public ReadCommittedTransactions waitingForLocks(Duration most) {
        String setting = "; SET LOCAL lock_timeout = %d".formatted(most.toMillis());
        return new ReadCommittedTransactions(
                Objects.requireNonNull(jdbc.getDataSource()),
                transactions.getPropagationBehavior(),
                beginning + setting);
    }

    /**
     * Transactions that never join another one: in the callbacks after a commit, the completed transaction looks as if
     * it were open, and nobody would commit what joins it.
     */
    public static ReadCommittedTransactions ofTheirOwn(DataSource dataSource) {
        return new ReadCommittedTransactions(dataSource, TransactionDefinition.PROPAGATION_REQUIRES_NEW, BEGINNING);
    }

    @Override
    public <T extends @Nullable Object> T execute(TransactionCallback<T> action) {
        return transactions.execute(status -> {
            if (status.isNewTransaction()) {
                jdbc.execute(beginning);
            }
            return action.doInTransaction(status);
        });
    }
}
