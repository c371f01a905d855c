package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

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
        assertThat(QueueDatabase.unwrapped(new DelegatingDataSource(aware))).isSameAs(pool);
        assertThat(QueueDatabase.unwrapped(new LazyConnectionDataSourceProxy(aware)))
                .isSameAs(pool);
    }

    @Test
    void leavesOtherProxiesWhereTheyAre() {
        DataSource lazy = new LazyConnectionDataSourceProxy(pool);

        assertThat(QueueDatabase.unwrapped(lazy)).isSameAs(lazy);
        assertThat(QueueDatabase.unwrapped(new TransactionAwareDataSourceProxy(lazy)))
                .isSameAs(lazy);
    }
}
