package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application whose pool and transactions belong to a parent of the context with the queue. */
class ParentContextIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);

    @Test
    void storesWhatIsPublishedAfterACommitOfItsManager() {
        new ApplicationContextRunner()
                .withUserConfiguration(Parent.class)
                .run(parent -> new ApplicationContextRunner()
                        .withParent(parent)
                        .withConfiguration(
                                AutoConfigurations.of(JacksonAutoConfiguration.class, QueueAutoConfiguration.class))
                        .withPropertyValues("queue.worker.enabled=false")
                        .run(child -> {
                            JobPublisher jobs = child.getBean(JobPublisher.class);
                            UUID id = UUID.randomUUID();
                            new TransactionTemplate(parent.getBean(PlatformTransactionManager.class))
                                    .executeWithoutResult(status ->
                                            TransactionSynchronizationManager.registerSynchronization(
                                                    new TransactionSynchronization() {
                                                        @Override
                                                        public void afterCommit() {
                                                            jobs.publish(Job.of("mail", null)
                                                                    .id(id));
                                                        }
                                                    }));
                            assertThat(rows.state(id)).isPresent();
                        }));
    }

    @Configuration(proxyBeanMethods = false)
    static class Parent {

        /** Without auto-commit nobody commits what joins a transaction that is over. */
        @Bean
        DataSource dataSource() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(database.jdbcUrl());
            pool.setUsername(database.username());
            pool.setPassword(database.password());
            pool.setAutoCommit(false);
            return pool;
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }
}
