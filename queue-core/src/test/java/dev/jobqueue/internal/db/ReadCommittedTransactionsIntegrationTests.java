package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class ReadCommittedTransactionsIntegrationTests {

    @Test
    void leaveTheIsolationOfTheSessionAsItIs() throws SQLException {
        try (Connection session = TestDatabase.create().connect()) {
            SingleConnectionDataSource dataSource = new SingleConnectionDataSource(session, true);
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            jdbc.execute("SET default_transaction_isolation = 'repeatable read'");

            String within = new ReadCommittedTransactions(dataSource)
                    .execute(status -> jdbc.queryForObject("SHOW transaction_isolation", String.class));

            assertThat(within).isEqualTo("read committed");
            assertThat(jdbc.queryForObject("SHOW default_transaction_isolation", String.class))
                    .isEqualTo("repeatable read");
        }
    }
}
