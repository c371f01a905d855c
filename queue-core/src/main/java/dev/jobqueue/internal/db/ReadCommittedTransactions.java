package dev.jobqueue.internal.db;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Short transactions of the queue's own, whatever manages those of the application and whatever isolation they have.
 * The isolation is set by a statement of the transaction: the driver would set that of the session, which a pooler
 * gives to others.
 */
public final class ReadCommittedTransactions implements TransactionOperations {

    private final TransactionTemplate transactions;
    private final JdbcTemplate jdbc;

    public ReadCommittedTransactions(DataSource dataSource) {
        this(dataSource, TransactionDefinition.PROPAGATION_REQUIRED);
    }

    private ReadCommittedTransactions(DataSource dataSource, int propagation) {
        this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        this.transactions.setPropagationBehavior(propagation);
        this.jdbc = new JdbcTemplate(dataSource);
    }

    /**
     * Transactions that never join another one: in the callbacks after a commit, the completed transaction looks as if
     * it were open, and nobody would commit what joins it.
     */
    public static ReadCommittedTransactions ofTheirOwn(DataSource dataSource) {
        return new ReadCommittedTransactions(dataSource, TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    @Override
    public <T extends @Nullable Object> T execute(TransactionCallback<T> action) {
        return transactions.execute(status -> {
            jdbc.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            return action.doInTransaction(status);
        });
    }
}
