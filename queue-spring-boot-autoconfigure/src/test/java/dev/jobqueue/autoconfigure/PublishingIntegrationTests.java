package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class PublishingIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static JobPublisher jobs;
    private static TransactionTemplate transaction;

    @BeforeAll
    static void start() {
        node = Node.start(database, Nothing.class, "queue.worker.enabled=false");
        jobs = node.publisher();
        transaction = new TransactionTemplate(node.bean(PlatformTransactionManager.class));
        rows.jdbc().sql("CREATE TABLE orders (id int PRIMARY KEY)").update();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static JdbcClient jdbc() {
        return node.bean(JdbcClient.class);
    }

    private static TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(node.bean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }

    @Nested
    class InATransaction {

        @Test
        void commitsWithIt() {
            UUID id = transaction.execute(status -> {
                jdbc().sql("INSERT INTO orders VALUES (1)").update();
                UUID published = jobs.publish("noted", Map.of("order", 1));
                assertThat(rows.state(published))
                        .as("not seen before the commit")
                        .isEmpty();
                return published;
            });
            assertThat(rows.state(id)).hasValue(JobState.PENDING);
        }

        @Test
        void rollsBackWithIt() {
            List<UUID> ids = new ArrayList<>();
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        ids.add(jobs.publish("noted", null));
                        ids.addAll(jobs.publishAll(List.of(Job.of("noted", 1), Job.of("noted", 2))));
                        jdbc().sql("INSERT INTO orders VALUES (2)").update();
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
            assertThat(ids)
                    .hasSize(3)
                    .allSatisfy(id -> assertThat(rows.state(id)).isEmpty());
            assertThat(jdbc().sql("SELECT count(*) FROM orders WHERE id = 2")
                            .query(Long.class)
                            .single())
                    .isZero();
        }

        @Test
        void survivesTheRollbackOfAnOuterTransactionInOneOfItsOwn() {
            List<UUID> ids = new ArrayList<>();
            transaction.executeWithoutResult(outer -> {
                ids.add(jobs.publish("noted", "outer"));
                transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(inner -> ids.add(jobs.publish("noted", "inner")));
                outer.setRollbackOnly();
            });
            assertThat(rows.state(ids.get(0))).isEmpty();
            assertThat(rows.state(ids.get(1))).hasValue(JobState.PENDING);
        }

        @Test
        void leavesItUsableWhenAJobIsRefusedBeforeItReachesTheDatabase() {
            UUID id = transaction.execute(status -> {
                assertThatThrownBy(() -> jobs.publish(new Unknown())).isInstanceOf(InvalidJobException.class);
                return jobs.publish("noted", null);
            });
            assertThat(rows.state(id)).hasValue(JobState.PENDING);
        }

        @Test
        void keepsNoPayloadInMemoryUntilTheCommit() {
            String payload = "x".repeat(900_000);
            transaction.executeWithoutResult(status -> {
                jobs.publish("big", payload);
                long before = usedMemory();
                for (int i = 0; i < 40; i++) {
                    jobs.publish("big", payload);
                }
                assertThat(usedMemory() - before).as("bytes kept").isLessThan(20 * 900_000);
                status.setRollbackOnly();
            });
        }

        private static long usedMemory() {
            System.gc();
            return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        }

        @Test
        void isDurableWhenItsCommitCallbacksPublish() {
            List<UUID> ids = new ArrayList<>();
            transaction.executeWithoutResult(status ->
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            ids.add(jobs.publish("noted", "after commit"));
                        }
                    }));
            assertThat(rows.state(ids.get(0))).hasValue(JobState.PENDING);
        }
    }

    @Nested
    class OutsideATransaction {

        @Test
        void isDurableWhenTheCallReturns() {
            assertThat(rows.state(jobs.publish("noted", null))).hasValue(JobState.PENDING);
        }

        @Test
        void isDurableInAScopeWithoutATransaction() {
            UUID id = transaction(TransactionDefinition.PROPAGATION_SUPPORTS)
                    .execute(status -> jobs.publish("noted", "supports"));
            assertThat(rows.state(id)).hasValue(JobState.PENDING);
        }

        @Test
        void publishesEachJobOfManyThreadsOnce() throws Exception {
            List<UUID> ids = inThreads(
                    16,
                    () -> IntStream.range(0, 20)
                            .mapToObj(i -> {
                                UUID id = jobs.publish("counted", Map.of("number", i));
                                assertThat(rows.state(id)).hasValue(JobState.PENDING);
                                return id;
                            })
                            .toList());
            assertThat(new HashSet<>(ids)).hasSize(16 * 20);
            assertThat(rows.count(JobState.PENDING, "counted")).isEqualTo(16 * 20);
        }

        @Test
        void failsOnlyThoseWhoMadeAMistake() throws Exception {
            List<UUID> ids = inThreads(16, () -> {
                List<UUID> published = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    assertThatThrownBy(() -> jobs.publish(Job.of("fair", null).maxAttempts(0)))
                            .isInstanceOf(InvalidJobException.class);
                    assertThatThrownBy(() -> jobs.publish("nul\0", null)).isInstanceOf(RuntimeException.class);
                    published.add(jobs.publish("fair", null));
                }
                return published;
            });
            assertThat(ids).hasSize(16 * 10);
            assertThat(rows.count(JobState.PENDING, "fair")).isEqualTo(16 * 10);
        }

        @Test
        void keepsTheInterruptOfAThreadThatPublishes() {
            Thread.currentThread().interrupt();
            UUID id = jobs.publish("noted", null);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(rows.state(id)).hasValue(JobState.PENDING);
        }

        private List<UUID> inThreads(int count, Callable<List<UUID>> task) throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(count);
            try {
                List<UUID> all = new ArrayList<>();
                for (Future<List<UUID>> future : threads.invokeAll(java.util.Collections.nCopies(count, task))) {
                    all.addAll(future.get());
                }
                return all;
            } finally {
                threads.shutdownNow();
            }
        }
    }

    @Nested
    class WithAPoolThatDoesNotCommitByItself {

        @Test
        void isDurableOutsideATransactionAndInAScopeWithoutOne() {
            try (Node other = Node.start(
                    database,
                    Nothing.class,
                    "queue.worker.enabled=false",
                    "spring.datasource.hikari.auto-commit=false")) {
                assertThat(rows.state(other.publisher().publish("noted", "outside")))
                        .hasValue(JobState.PENDING);
                TransactionTemplate supports = new TransactionTemplate(other.bean(PlatformTransactionManager.class));
                UUID inside = supports.execute(status -> other.publisher().publish("noted", "inside"));
                assertThat(rows.state(inside)).hasValue(JobState.PENDING);
                supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
                UUID scope = supports.execute(status -> other.publisher().publish("noted", "scope"));
                assertThat(rows.state(scope)).hasValue(JobState.PENDING);
            }
        }
    }

    @Nested
    class WithATransactionAwareDataSource {

        @Test
        void leavesTheCallersTransactionOpenWhenAnythingCommitsApart() {
            try (Node aware = Node.start(database, Aware.class, "queue.worker.enabled=false")) {
                List<UUID> ids = new ArrayList<>();
                new TransactionTemplate(aware.bean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                    ids.add(aware.publisher().publish("noted", "aware"));
                    new PublishCalls(aware.bean(QueueDatabase.class).database().apart()).wake(List.of("default"));
                    status.setRollbackOnly();
                });
                assertThat(rows.state(ids.get(0))).isEmpty();
            }
        }
    }

    @Nested
    class WhenATransactionIsRequired {

        @Test
        void refusesToPublishOutsideOfOne() {
            try (Node strict = Node.start(
                    database,
                    Nothing.class,
                    "queue.worker.enabled=false",
                    "queue.publisher.require-transaction=true")) {
                assertThatExceptionOfType(JobQueueException.class)
                        .isThrownBy(() -> strict.publisher().publish("strict", null))
                        .withMessageContaining("'strict'")
                        .withMessageContaining("queue.publisher.require-transaction");
                UUID id = new TransactionTemplate(strict.bean(PlatformTransactionManager.class))
                        .execute(status -> strict.publisher().publish("strict", null));
                assertThat(rows.state(id)).hasValue(JobState.PENDING);
            }
        }
    }

    record Unknown() {}

    static class Aware {

        @Bean
        DataSource dataSource() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(database.jdbcUrl());
            pool.setUsername(database.username());
            pool.setPassword(database.password());
            pool.setAutoCommit(false);
            return new TransactionAwareDataSourceProxy(pool);
        }
    }

    static class Nothing {}
}
