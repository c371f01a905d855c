package dev.jobqueue.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.postgres.TestDatabase;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

/** An application with a pool, transactions and the queue, as the starter makes it. */
final class QueueApplication {

    private QueueApplication() {}

    static ApplicationContextRunner on(TestDatabase database) {
        return with(database.jdbcUrl(), database.username(), database.password());
    }

    static ApplicationContextRunner with(String jdbcUrl, String username, String password) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        JdbcClientAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        QueueAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.type=" + HikariDataSource.class.getName(),
                        "spring.datasource.url=" + jdbcUrl,
                        "spring.datasource.username=" + username,
                        "spring.datasource.password=" + password);
    }
}
