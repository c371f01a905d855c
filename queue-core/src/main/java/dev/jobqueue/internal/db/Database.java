package dev.jobqueue.internal.db;

import javax.sql.DataSource;

/** The database and the schema in it that hold the queue. */
public record Database(DataSource dataSource, Schema schema) {

    /** Calls that take part in the caller's transaction while it is open. */
    public Sql joining() {
        return Sql.joining(dataSource, schema);
    }

    /** Calls that always commit by themselves. */
    public Sql apart() {
        return Sql.apart(dataSource, schema);
    }
}
