package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.JobState;
import dev.jobqueue.autoconfigure.TransactionScope.Managers;
import dev.jobqueue.autoconfigure.TransactionScope.Outcome;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Which transactions publishing and operations join, as the table of the guide says. */
class TransactionMatrixIntegrationTests {

    private static final TestDatabase otherDatabase = TestDatabase.create();

    @Nested
    class WithAPoolThatCommitsByItself extends EachScope {
        WithAPoolThatCommitsByItself() {
            super("true");
        }
    }

    @Nested
    class WithAPoolThatDoesNotCommitByItself extends EachScope {
        WithAPoolThatDoesNotCommitByItself() {
            super("false");
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    abstract static class EachScope {

        private final TestDatabase database = TestDatabase.create();
        private final JobRows rows = new JobRows(database);
        private final String autoCommit;
        private Node node;
        private Managers managers;

        EachScope(String autoCommit) {
            this.autoCommit = autoCommit;
        }

        /** Neither listens nor polls: it handles only what it is woken for. */
        @BeforeAll
        void start() {
            node = Node.start(
                    database,
                    Application.class,
                    "spring.datasource.hikari.auto-commit=" + autoCommit,
                    "spring.jpa.open-in-view=false",
                    "queue.listener.enabled=false",
                    "queue.worker.poll-interval=1h");
            managers = new Managers(
                    node.bean(PlatformTransactionManager.class),
                    node.context().getBean("other", PlatformTransactionManager.class),
                    node.context().getBean("jpa", PlatformTransactionManager.class),
                    () -> node.bean(JdbcClient.class)
                            .sql("SELECT 1")
                            .query(Integer.class)
                            .single());
        }

        @AfterAll
        void stop() {
            node.close();
        }

        @ParameterizedTest
        @EnumSource(mode = Mode.EXCLUDE, names = "READ_ONLY")
        void isStoredAndHandledAtOnceWhenItCommits(TransactionScope scope) {
            UUID id = UUID.randomUUID();
            UUID ordinary = UUID.randomUUID();
            scope.run(managers, false, () -> {
                publish(id);
                node.publisher().publish("ordinary", ordinary);
            });
            assertThat(rows.state(id)).as("stored").isPresent();
            rows.await(JobState.COMPLETED, id);
            await().until(() -> ordinary(ordinary) == 1);
        }

        @ParameterizedTest
        @EnumSource(mode = Mode.EXCLUDE, names = "READ_ONLY")
        void isGoneWhenTheTransactionItJoinedRollsBack(TransactionScope scope) {
            UUID id = UUID.randomUUID();
            scope.run(managers, true, () -> publish(id));
            if (scope.outcome() == Outcome.JOINS) {
                assertThat(rows.state(id)).isEmpty();
            } else {
                assertThat(rows.state(id)).isPresent();
            }
        }

        @ParameterizedTest
        @EnumSource(mode = Mode.EXCLUDE, names = "READ_ONLY")
        void storesOperationsToo(TransactionScope scope) {
            JobOperations operations = node.bean(JobOperations.class);
            scope.run(managers, false, () -> operations.pause("committed " + scope));
            assertThat(isPaused("committed " + scope)).isTrue();
            scope.run(managers, true, () -> operations.pause("rolled back " + scope));
            assertThat(isPaused("rolled back " + scope)).isEqualTo(scope.outcome() == Outcome.APART);
        }

        @ParameterizedTest
        @EnumSource(mode = Mode.EXCLUDE, names = "READ_ONLY")
        void isRefusedApartWhereATransactionIsRequired(TransactionScope scope) {
            JobPublisher strict = strictPublisher();
            UUID id = UUID.randomUUID();
            scope.run(managers, false, () -> {
                if (scope.outcome() == Outcome.JOINS) {
                    strict.publish(Job.of("quick", null).id(id));
                } else {
                    assertThatExceptionOfType(JobQueueException.class)
                            .isThrownBy(
                                    () -> strict.publish(Job.of("quick", null).id(id)))
                            .withMessageContaining("'quick'")
                            .withMessageContaining("queue.publisher.require-transaction");
                }
            });
            assertThat(rows.state(id).isPresent()).isEqualTo(scope.outcome() == Outcome.JOINS);
        }

        @Test
        void isRefusedByPostgresInAReadOnlyTransaction() {
            UUID id = UUID.randomUUID();
            assertThatThrownBy(() -> TransactionScope.READ_ONLY.run(managers, false, () -> publish(id)))
                    .isInstanceOf(JobQueueException.class)
                    .hasMessageStartingWith("The transaction is read-only, by @Transactional(readOnly = true)")
                    .hasMessageContaining("read-only transaction");
            assertThat(rows.state(id)).isEmpty();
        }

        private void publish(UUID id) {
            node.publisher().publish(Job.of("quick", null).id(id));
        }

        private JobPublisher strictPublisher() {
            return node.bean(JobQueue.class).publisher(true);
        }

        private long ordinary(UUID payload) {
            return rows.jdbc()
                    .sql("SELECT count(*) FROM queue.job_history WHERE type = 'ordinary' AND payload #>> '{}' = ?")
                    .param(payload.toString())
                    .query(Long.class)
                    .single();
        }

        private boolean isPaused(String queue) {
            return rows.jdbc()
                            .sql("SELECT count(*) FROM queue.queue WHERE name = ? AND paused_at IS NOT NULL")
                            .param(queue)
                            .query(Long.class)
                            .single()
                    == 1;
        }
    }

    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class Application {

        @Bean
        @Primary
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager other() {
            return new JdbcTransactionManager(otherDatabase.dataSource());
        }

        @Bean
        PlatformTransactionManager jpa(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @JobHandler("quick")
        void quick() {}

        @JobHandler("ordinary")
        void ordinary() {}
    }
}
