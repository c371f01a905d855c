package dev.jobqueue.internal.db;

import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.TestDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A migrated database whose tables refuse what no function may do. The schema itself leaves that out: whoever publishes
 * or claims would pay for it each time, with nothing to gain.
 */
public final class CheckedQueue {

    private CheckedQueue() {}

    public static TestDatabase create(Schema schema) {
        TestDatabase database = TestDatabase.create();
        new SchemaMigrator(database.dataSource(), schema).migrate();
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        jdbc.sql("ALTER TABLE " + schema.quotedName() + ".job ADD CONSTRAINT job_counts_upwards CHECK ("
                        + "attempt >= 0 AND version >= 0 AND (spared > 0) IS NOT FALSE)")
                .update();
        jdbc.sql("ALTER TABLE " + schema.quotedName() + ".lease ADD CONSTRAINT lease_is_of_few CHECK ("
                        + "cardinality(ids) BETWEEN 1 AND 64)")
                .update();
        return database;
    }
}
