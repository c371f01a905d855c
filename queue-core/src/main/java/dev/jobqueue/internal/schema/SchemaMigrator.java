package dev.jobqueue.internal.schema;

import dev.jobqueue.internal.store.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** Migrates the schema of the queue with Flyway, beside whatever the application migrates and how. */
public final class SchemaMigrator {

    static final String HISTORY_TABLE = "queue_schema_history";
    static final String FOLDER = "dev/jobqueue/schema";

    /** The newest table of the schema: whoever has it has the others. */
    private static final String NEWEST_TABLE = "schedule";

    private final DataSource dataSource;
    private final Schema schema;
    private final Flyway flyway;

    public SchemaMigrator(DataSource dataSource, Schema schema) {
        this(dataSource, schema, "classpath:" + FOLDER);
    }

    SchemaMigrator(DataSource dataSource, Schema schema, String location) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.flyway = Flyway.configure(SchemaMigrator.class.getClassLoader())
                .dataSource(dataSource)
                .schemas(schema.name())
                .defaultSchema(schema.name())
                .table(HISTORY_TABLE)
                .locations(location)
                // Without the files there would be no queue, and only a log line to say so.
                .failOnMissingLocations(true)
                // A schema may hold other things already, tables of the application for one.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                // In one transaction: all or nothing, and nobody ever sees half a queue.
                .group(true)
                .placeholderReplacement(false)
                .load();
    }

    /** Safe when many nodes start at once: one migrates, the others wait and find it done. */
    public int migrate() {
        return flyway.migrate().migrationsExecuted;
    }

    /** Whether the tables are there, made by this or by the script. */
    public boolean isMigrated() {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
            statement.setString(1, schema.quotedName() + "." + NEWEST_TABLE);
            try (ResultSet results = statement.executeQuery()) {
                return results.next() && results.getBoolean(1);
            }
        } catch (SQLException ex) {
            throw new IllegalStateException("The schema cannot be looked at: " + ex.getMessage(), ex);
        }
    }
}
