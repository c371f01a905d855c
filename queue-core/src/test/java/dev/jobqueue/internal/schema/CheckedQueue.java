package dev.jobqueue.internal.schema;

import dev.jobqueue.internal.store.Schema;
import dev.jobqueue.postgres.TestDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A migrated database whose table {@code job} refuses what no function may do. The schema itself leaves that out: whoever
 * publishes would pay for it each time, with nothing to gain.
 */
public final class CheckedQueue {

    private CheckedQueue() {}

    public static TestDatabase create(Schema schema) {
        TestDatabase database = TestDatabase.create();
        new SchemaMigrator(database.dataSource(), schema).migrate();
        JdbcClient.create(database.dataSource())
                .sql("ALTER TABLE " + schema.quotedName() + ".job ADD CONSTRAINT job_leased_while_running CHECK ("
                        + "num_nonnulls(lease, worker_id, claimed_at) = CASE state WHEN 'RUNNING' THEN 3 ELSE 0 END)")
                .update();
        return database;
    }
}
