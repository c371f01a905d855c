package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.internal.db.Schema;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

class QueueDatabaseTests {

    private final DataSource pool = new DriverManagerDataSource("jdbc:postgresql:nowhere");
    private final DataSource aware = new TransactionAwareDataSourceProxy(pool);

    @Test
    void looksBehindProxiesThatAreAwareOfTransactions() {
        assertThat(QueueDatabase.unwrapped(aware)).isSameAs(pool);
        assertThat(QueueDatabase.unwrapped(new TransactionAwareDataSourceProxy(aware)))
                .isSameAs(pool);
    }

    /** Transactions are bound to the outer one, and calls that commit by themselves need the inner one. */
    @Test
    void refusesSuchAProxyWithinAnother() {
        for (DataSource outer : List.of(
                new DelegatingDataSource(aware),
                new LazyConnectionDataSourceProxy(aware),
                new TransactionAwareDataSourceProxy(aware),
                new TransactionAwareDataSourceProxy(new DelegatingDataSource(aware)))) {
            assertThatExceptionOfType(InvalidQueueConfigurationException.class)
                    .isThrownBy(() -> new QueueDatabase(outer, new Schema("queue")))
                    .withMessageContaining("TransactionAwareDataSourceProxy");
        }
    }

    @Test
    void leavesOtherProxiesWhereTheyAre() {
        DataSource lazy = new LazyConnectionDataSourceProxy(pool);

        assertThat(QueueDatabase.unwrapped(lazy)).isSameAs(lazy);
        assertThat(QueueDatabase.unwrapped(new TransactionAwareDataSourceProxy(lazy)))
                .isSameAs(lazy);
    }
}
