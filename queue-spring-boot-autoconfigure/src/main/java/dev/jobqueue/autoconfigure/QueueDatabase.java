package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The database and schema that hold the queue. */
record QueueDatabase(DataSource dataSource, Schema schema) {

    QueueDatabase {
        dataSource = unwrapped(dataSource);
    }

    /**
     * The queue itself decides which calls join the caller's transaction. A proxy that makes all of them join would let
     * calls that commit by themselves commit that transaction.
     */
    static DataSource unwrapped(DataSource dataSource) {
        DataSource unwrapped = dataSource;
        for (DataSource each = dataSource; each instanceof DelegatingDataSource outer; ) {
            each = outer.getTargetDataSource();
            if (each != null && outer instanceof TransactionAwareDataSourceProxy) {
                unwrapped = each;
            }
        }
        return unwrapped;
    }

    Sql joining() {
        return Sql.joining(dataSource, schema);
    }

    Sql apart() {
        return Sql.apart(dataSource, schema);
    }

    CallersTransaction callersTransaction() {
        return new CallersTransaction(dataSource);
    }
}
