package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.postgres.TestDatabase;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Transactions of handlers that are not those of the queue's database. */
@ExtendWith(OutputCaptureExtension.class)
class HandlerTransactionsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final TestDatabase second = TestDatabase.create();
    private final ApplicationContextRunner application = QueueApplication.on(database);

    @Test
    void failTheStartWhereTheManagerHasAnotherDataSource() {
        application
                .withUserConfiguration(OtherManager.class)
                .withBean(Transactional.class)
                .run(context -> {
                    FailureAnalysis analysis = new QueueFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis).isNotNull();
                    assertThat(analysis.getDescription())
                            .contains("'ship', 'transact'", "JdbcTransactionManager", "transactional = true");
                    assertThat(analysis.getAction()).contains("@QueueDataSource", "@Primary");
                });
    }

    @Test
    void areNotLookedAtWhereNoHandlerIsTransactional() {
        application
                .withUserConfiguration(OtherManager.class)
                .withBean(Plain.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void areWarnedOfWhereTheApplicationHasAnotherDataSource(CapturedOutput output) {
        application
                .withUserConfiguration(OwnDataSource.class)
                .withBean(Transactional.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .containsOnlyOnce("Handlers ['ship', 'transact'] are transactional")
                            .contains("@QueueDataSource");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherManager {

        @Bean
        PlatformTransactionManager transactionManager() {
            return new JdbcTransactionManager(second.dataSource());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnDataSource {

        @Bean(defaultCandidate = false)
        @QueueDataSource
        DataSource queueDataSource() {
            return second.dataSource();
        }
    }

    static class Transactional {

        @JobHandler(value = "transact", transactional = true)
        void transact() {}

        @JobHandler(value = "ship", transactional = true)
        void ship() {}
    }

    static class Plain {

        @JobHandler("plain")
        void handle() {}
    }
}
