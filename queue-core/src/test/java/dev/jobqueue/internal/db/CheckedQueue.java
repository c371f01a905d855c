package dev.jobqueue.internal.db;

import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.TestDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A migrated database whose tables refuse what no function may do. The schema itself leaves that out: whoever publishes
 * or claims would pay for it each time, with nothing to gain.
 */
public final class CheckedQueue {

    private static final TestDatabase TEMPLATE = migrated();

    private CheckedQueue() {}

    /** A new database with the queue in the schema {@code queue}: a copy of one that is migrated once in this JVM. */
    public static TestDatabase create() {
        return TEMPLATE.copy();
    }

    private static TestDatabase migrated() {
        TestDatabase database = TestDatabase.create();
        new SchemaMigrator(database.dataSource(), new Schema("queue")).migrate();
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        jdbc.sql("ALTER TABLE queue.job ADD CONSTRAINT job_counts_upwards CHECK ("
                        + "attempt >= 0 AND version >= 0 AND (spared > 0) IS NOT FALSE)")
                .update();
        jdbc.sql("ALTER TABLE queue.lease ADD CONSTRAINT lease_is_of_few CHECK (cardinality(ids) BETWEEN 1 AND 64)")
                .update();
        return database;
    }
}
