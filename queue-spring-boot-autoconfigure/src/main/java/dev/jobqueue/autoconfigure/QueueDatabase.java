package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.Schema;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The database and schema that hold the queue. */
record QueueDatabase(DataSource dataSource, Schema schema) {

    QueueDatabase {
        // as it is: a transaction manager looks behind one such proxy, and not behind a second one
        refuseHiddenProxy(dataSource);
        dataSource = unwrapped(dataSource);
    }

    /**
     * The queue itself decides which calls join the caller's transaction. A proxy that makes all of them join would let
     * calls that commit by themselves commit that transaction.
     */
    static DataSource unwrapped(DataSource dataSource) {
        DataSource unwrapped = dataSource;
        while (unwrapped instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            unwrapped = proxy.getTargetDataSource();
        }
        return unwrapped;
    }

    /** Transactions are bound to the outer DataSource, so that the queue cannot leave out the proxy within it. */
    private static void refuseHiddenProxy(DataSource dataSource) {
        for (DataSource each = dataSource; each instanceof DelegatingDataSource outer; ) {
            each = outer.getTargetDataSource();
            if (each instanceof TransactionAwareDataSourceProxy) {
                throw new InvalidQueueConfigurationException(
                        ("The DataSource of the queue is a '%s' around a TransactionAwareDataSourceProxy, so that"
                                        + " calls of the queue that commit by themselves would commit transactions of"
                                        + " the application.")
                                .formatted(outer.getClass().getName()),
                        "Put the TransactionAwareDataSourceProxy around the other DataSource, or leave it out:"
                                + " JdbcTemplate, JdbcClient and JPA do not need it.");
            }
        }
    }

    Database database() {
        return new Database(dataSource, schema);
    }

    CallersTransaction callersTransaction() {
        return new CallersTransaction(dataSource);
    }
}
