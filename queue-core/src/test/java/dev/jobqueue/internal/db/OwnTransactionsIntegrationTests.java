package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Calls outside of a caller's transaction, on a connection with other defaults than theirs. */
class OwnTransactionsIntegrationTests {

    private final TestDatabase database = CheckedQueue.create();

    @ParameterizedTest
    @CsvSource({"serializable, true", "serializable, false", "repeatable read, true", "read committed, true"})
    void areReadCommittedAndLeaveTheSessionAsItIs(String isolation, boolean autoCommit) throws SQLException {
        try (Connection session = session(isolation, autoCommit)) {
            Sql sql = sql(session);
            assertThat(show(sql, "transaction_isolation")).isEqualTo("read committed");
            assertThat(show(sql, "default_transaction_isolation")).isEqualTo(isolation);
            assertThat(session.getAutoCommit()).isEqualTo(autoCommit);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mayWriteWhateverTheSessionBeginsWith(boolean autoCommit) throws SQLException {
        try (Connection session = session("read committed", true)) {
            try (Statement statement = session.createStatement()) {
                statement.execute("SET default_transaction_read_only = on");
            }
            session.setAutoCommit(autoCommit);
            Sql sql = sql(session);
            assertThat(show(sql, "transaction_read_only")).isEqualTo("off");
            assertThat(show(sql, "default_transaction_read_only")).isEqualTo("on");
        }
    }

    @Test
    void areRolledBackWhenTheyFail() throws SQLException {
        try (Connection session = session("serializable", true)) {
            Sql sql = sql(session);
            assertThatThrownBy(() -> show(sql, "nonsense")).isInstanceOf(DataAccessException.class);
            assertThat(session.getAutoCommit()).isTrue();
            assertThat(show(sql, "transaction_isolation")).isEqualTo("read committed");
        }
    }

    private Connection session(String isolation, boolean autoCommit) throws SQLException {
        Connection session = database.connect();
        try (Statement statement = session.createStatement()) {
            statement.execute("SET default_transaction_isolation = '%s'".formatted(isolation));
        }
        session.setAutoCommit(autoCommit);
        return session;
    }

    private static Sql sql(Connection session) {
        return Sql.apart(new SingleConnectionDataSource(session, true), new Schema("queue"));
    }

    private static String show(Sql sql, String setting) {
        return sql.queryOne("SHOW " + setting, statement -> {}, results -> results.getString(1));
    }
}
