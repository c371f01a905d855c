package dev.jobqueue.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class TestDatabaseIntegrationTests {

    private final TestDatabase database = TestDatabase.create();

    @Test
    void runsTheVersionThatWasAskedFor() throws SQLException {
        assumeThat(System.getenv(TestServer.URL_VARIABLE)).isNull();
        assertThat(show(database, "server_version")).startsWith(TestServer.majorVersion());
    }

    @Test
    void isDurable() throws SQLException {
        assertThat(show(database, "fsync")).isEqualTo("on");
        assertThat(show(database, "synchronous_commit")).isEqualTo("on");
    }

    @Test
    void sharesNothingWithAnotherOne() throws SQLException {
        TestDatabase other = TestDatabase.create();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE only_here ()");
        }
        try (Connection connection = other.connect();
                ResultSet tables = connection.getMetaData().getTables(null, "public", "only_here", null)) {
            assertThat(tables.next()).isFalse();
        }
    }

    private static String show(TestDatabase database, String setting) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SHOW " + setting)) {
            result.next();
            return result.getString(1);
        }
    }

    @Test
    void isCopiedWithWhatItContains() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE kept AS SELECT 17 AS number");
        }
        try (Connection connection = database.copy().connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT number FROM kept")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getInt(1)).isEqualTo(17);
        }
    }
}
