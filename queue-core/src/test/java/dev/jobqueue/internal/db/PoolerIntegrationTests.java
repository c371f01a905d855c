package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jobqueue.internal.migrate.SchemaException;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.PgBouncer;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The migrator behind PgBouncer. */
class PoolerIntegrationTests {

    private static final Schema QUEUE = new Schema("queue");

    private final TestDatabase database = TestDatabase.create();

    @BeforeEach
    void needPgBouncer() {
        assumeTrue(PgBouncer.isInstalled(), PgBouncer.MISSING);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void leavesTheSharedSessionsAsTheyWere(int sessions) throws SQLException {
        try (PgBouncer bouncer = PgBouncer.start(database, "transaction", sessions)) {
            Set<String> before = settingsOf(bouncer, sessions);

            new SchemaMigrator(bouncer.database().dataSource(), QUEUE).migrate();

            assertThat(settingsOf(bouncer, sessions)).isEqualTo(before);
        }
    }

    @Test
    void isToldThatPooledStatementsAreNotEnough() {
        new SchemaMigrator(database.dataSource(), QUEUE).migrate();
        try (PgBouncer bouncer = PgBouncer.start(database, "statement", 3)) {
            SchemaMigrator migrator = new SchemaMigrator(bouncer.database().dataSource(), QUEUE);

            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(migrator::check)
                    .withMessageContaining("pools statements, and the queue needs transactions")
                    .satisfies(ex -> assertThat(ex.action()).contains("pool_mode"));
            assertThatExceptionOfType(SchemaException.class).isThrownBy(migrator::migrate);
        }
    }

    /** What every session of the pool has set for itself, one transaction in each of them at a time. */
    private static Set<String> settingsOf(PgBouncer bouncer, int sessions) throws SQLException {
        Set<String> settings = new TreeSet<>();
        List<Connection> transactions = new ArrayList<>();
        try {
            for (int i = 0; i < sessions; i++) {
                Connection connection = bouncer.database().connect();
                transactions.add(connection);
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement();
                        ResultSet results = statement.executeQuery("SELECT name || ' = ' || setting FROM pg_settings"
                                + " WHERE source = 'session' AND name NOT LIKE 'transaction%' OR name = 'search_path'"
                                + " UNION ALL SELECT 'advisory lock' FROM pg_locks"
                                + " WHERE locktype = 'advisory' AND pid = pg_backend_pid()")) {
                    while (results.next()) {
                        settings.add(results.getString(1));
                    }
                }
            }
        } finally {
            for (Connection each : transactions) {
                each.close();
            }
        }
        return settings;
    }
}
