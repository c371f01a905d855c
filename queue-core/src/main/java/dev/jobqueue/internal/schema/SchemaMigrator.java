package dev.jobqueue.internal.schema;

import dev.jobqueue.internal.store.Schema;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** Migrates the schema of the queue with Flyway, beside whatever the application migrates and how. */
public final class SchemaMigrator {

    static final String HISTORY_TABLE = "queue_schema_history";
    static final String LOCATION = "classpath:dev/jobqueue/schema";

    private final Flyway flyway;

    public SchemaMigrator(DataSource dataSource, Schema schema) {
        this(dataSource, schema, LOCATION);
    }

    SchemaMigrator(DataSource dataSource, Schema schema, String location) {
        this.flyway = Flyway.configure(SchemaMigrator.class.getClassLoader())
                .dataSource(dataSource)
                .schemas(schema.name())
                .defaultSchema(schema.name())
                .table(HISTORY_TABLE)
                .locations(location)
                .placeholderReplacement(false)
                .load();
    }

    /** Safe when many nodes start at once: one migrates, the others wait and find it done. */
    public int migrate() {
        return flyway.migrate().migrationsExecuted;
    }
}
