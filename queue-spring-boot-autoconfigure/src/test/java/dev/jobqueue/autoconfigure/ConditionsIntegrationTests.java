package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.PublishResult;
import dev.jobqueue.internal.migrate.SchemaException;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedules;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class ConditionsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final TestDatabase second = TestDatabase.create();
    private final ApplicationContextRunner application =
            QueueApplication.on(database).withBean(Handlers.class);

    private static boolean hasSchema(TestDatabase where, String schema) {
        return JdbcClient.create(where.dataSource())
                .sql("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?)")
                .param(schema)
                .query(Boolean.class)
                .single();
    }

    @Test
    void giveAPublisherAndAWorkerToAnApplicationWithADataSource() {
        application.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(JobPublisher.class)
                .hasSingleBean(WorkerLifecycle.class)
                .getBean(WorkerLifecycle.class)
                .matches(WorkerLifecycle::isRunning));
    }

    @Test
    void giveNothingWithoutADataSource() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(JobPublisher.class)
                        .doesNotHaveBean(WorkerLifecycle.class));
    }

    @Test
    void giveNothingWhereTheQueueIsDisabled() {
        application
                .withPropertyValues("queue.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(JobPublisher.class)
                        .doesNotHaveBean(WorkerLifecycle.class));
    }

    @Test
    void giveOnlyAPublisherWhereTheWorkerIsDisabled() {
        application.withPropertyValues("queue.worker.enabled=false").run(context -> {
            assertThat(context).hasSingleBean(JobPublisher.class).doesNotHaveBean(WorkerLifecycle.class);
            UUID id = context.getBean(JobPublisher.class).publish("kept", null);
            assertThat(new JobRows(database).state(id)).hasValue(JobState.PENDING);
        });
    }

    @Test
    void leaveThePublisherOfTheApplicationAlone() {
        application
                .withBean(JobPublisher.class, OwnPublisher::new)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(JobPublisher.class)
                        .getBean(JobPublisher.class)
                        .isInstanceOf(OwnPublisher.class));
    }

    @Test
    void leaveTheOperationsAndSchedulesOfTheApplicationAlone() {
        JobOperations operations = mock();
        JobSchedules schedules = mock();
        application
                .withBean(JobOperations.class, () -> operations)
                .withBean(JobSchedules.class, () -> schedules)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(JobOperations.class)).isSameAs(operations);
                    assertThat(context.getBean(JobSchedules.class)).isSameAs(schedules);
                });
    }

    @Test
    void putTheQueueIntoAnotherSchema() {
        application.withPropertyValues("queue.schema.name=Own jobs").run(context -> {
            assertThat(context).hasNotFailed();
            UUID id = context.getBean(JobPublisher.class).publish("handled", null);
            Patience.await()
                    .untilAsserted(() -> assertThat(JdbcClient.create(database.dataSource())
                                    .sql("SELECT state FROM \"Own jobs\".job_history WHERE id = ?")
                                    .param(id)
                                    .query(String.class)
                                    .optional())
                            .hasValue("COMPLETED"));
        });
    }

    @Test
    void failWithoutTheSchemaWhereMigrationIsOff() {
        application
                .withPropertyValues(
                        "queue.schema.migrate=false", "queue.schema.name=absent", "queue.worker.enabled=false")
                .run(context -> {
                    assertThat(context)
                            .getFailure()
                            .rootCause()
                            .isInstanceOfSatisfying(
                                    SchemaException.class,
                                    ex -> assertThat(ex.action()).contains("'absent'", "queue.schema.migrate=true"))
                            .hasMessageContaining("schema 'absent' is without the queue");
                    assertThat(hasSchema(database, "absent")).isFalse();
                });
    }

    @Test
    void failWhereTheRoleMayNotUseTheSchemaAndSayWhatToGrant() {
        application.run(context -> assertThat(context).hasNotFailed());
        JdbcClient owner = JdbcClient.create(database.dataSource());
        String stranger = "stranger_" + Long.toHexString(System.nanoTime());
        owner.sql("CREATE ROLE " + stranger + " LOGIN PASSWORD 'secret'").update();
        try {
            QueueApplication.with(database.jdbcUrl(), stranger, "secret").run(context -> {
                FailureAnalysis analysis = new QueueFailureAnalyzer().analyze(context.getStartupFailure());
                assertThat(analysis).isNotNull();
                assertThat(analysis.getDescription())
                        .contains("The role '" + stranger + "' of this node may not use", "permission denied");
                assertThat(analysis.getAction()).contains("--roles", "GRANT queue_worker TO " + stranger + ";");
            });
        } finally {
            owner.sql("DROP ROLE " + stranger).update();
        }
    }

    @Test
    void failWithoutADatabaseAndSayWhatTheDriverSaid() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        QueueApplication.with("jdbc:postgresql://localhost:" + port + "/shop", "shop", "secret")
                .run(context -> {
                    FailureAnalysis analysis = new QueueFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis).isNotNull();
                    assertThat(analysis.getDescription())
                            .startsWith("There is no connection to the database of the queue: ")
                            .contains("localhost:" + port);
                    assertThat(analysis.getAction()).contains("Start the database", "spring.datasource.url");
                });
    }

    @Test
    void useTheSchemaThatIsThereWhereMigrationIsOff() {
        application.run(context -> assertThat(context).hasNotFailed());
        application
                .withPropertyValues("queue.schema.migrate=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void useTheDataSourceThatIsMarked() {
        application.withUserConfiguration(SecondDataSource.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBeansOfType(DataSource.class)).hasSize(2);
            JobRows rows = new JobRows(second);
            JobPublisher jobs = context.getBean(JobPublisher.class);
            rows.await(JobState.COMPLETED, jobs.publish("handled", null), jobs.publish("transacted", null));
            UUID elsewhere = new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .execute(status -> {
                        status.setRollbackOnly();
                        return jobs.publish("kept", null);
                    });
            assertThat(rows.state(elsewhere))
                    .as("a transaction of another database does not hold it back")
                    .hasValue(JobState.PENDING);
        });
    }

    static class OwnPublisher implements JobPublisher {

        @Override
        public UUID publish(Job job) {
            return new UUID(0, 0);
        }

        @Override
        public List<UUID> publishAll(Collection<Job> jobs) {
            return List.of();
        }

        @Override
        public List<PublishResult> publishAllWithOutcome(Collection<Job> jobs) {
            return List.of();
        }

        @Override
        public UUID publish(Batch batch) {
            return new UUID(0, 0);
        }

        @Override
        public UUID publish(Flow flow) {
            return new UUID(0, 0);
        }

        @Override
        public List<UUID> addToBatch(UUID batch, Collection<Job> members) {
            return List.of();
        }

        @Override
        public List<UUID> addSteps(UUID flow, UnaryOperator<Flow> steps) {
            return List.of();
        }

        @Override
        public boolean signal(UUID flow, String name, @Nullable Object payload) {
            return false;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondDataSource {

        @Bean(defaultCandidate = false)
        @QueueDataSource
        DataSource queueDataSource() {
            return second.dataSource();
        }
    }

    static class Handlers {

        @JobHandler("handled")
        void handle() {}

        @JobHandler(value = "transacted", transactional = true)
        void transact() {}
    }
}
