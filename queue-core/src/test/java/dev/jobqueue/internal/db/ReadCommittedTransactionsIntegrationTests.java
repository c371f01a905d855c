package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

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

    @Test
    void mayWriteWhateverTheSessionBeginsWith() throws SQLException {
        try (Connection session = TestDatabase.create().connect()) {
            SingleConnectionDataSource dataSource = new SingleConnectionDataSource(session, true);
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            jdbc.execute("SET default_transaction_read_only = on");

            String within = new ReadCommittedTransactions(dataSource)
                    .execute(status -> jdbc.queryForObject("SHOW transaction_read_only", String.class));

            assertThat(within).isEqualTo("off");
            assertThat(jdbc.queryForObject("SHOW default_transaction_read_only", String.class))
                    .isEqualTo("on");
        }
    }

    @Test
    void joinATransactionThatHasBegun() throws SQLException {
        try (Connection session = TestDatabase.create().connect()) {
            SingleConnectionDataSource dataSource = new SingleConnectionDataSource(session, true);
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(dataSource));
            outer.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);

            String within = outer.execute(status -> {
                jdbc.queryForObject("SELECT 1", Integer.class);
                return new ReadCommittedTransactions(dataSource)
                        .execute(joined -> jdbc.queryForObject("SHOW transaction_isolation", String.class));
            });

            assertThat(within).isEqualTo("serializable");
        }
    }
}
