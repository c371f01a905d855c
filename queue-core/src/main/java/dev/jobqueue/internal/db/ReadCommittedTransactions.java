package dev.jobqueue.internal.db;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
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
        this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        this.jdbc = new JdbcTemplate(dataSource);
    }

    @Override
    public <T extends @Nullable Object> T execute(TransactionCallback<T> action) {
        return transactions.execute(status -> {
            jdbc.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            return action.doInTransaction(status);
        });
    }
}
