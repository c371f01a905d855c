package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.store.Schema;
import dev.jobqueue.internal.store.Sql;
import javax.sql.DataSource;

/** The database and schema that hold the queue. */
record QueueDatabase(DataSource dataSource, Schema schema) {

    Sql joining() {
        return Sql.joining(dataSource, schema);
    }

    Sql apart() {
        return Sql.apart(dataSource, schema);
    }
}
