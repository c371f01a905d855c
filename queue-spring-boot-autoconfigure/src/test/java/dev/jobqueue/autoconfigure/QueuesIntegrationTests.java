package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class QueuesIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);

    @Nested
    class Slots {

        @Test
        void keepABusyQueueFromStarvingAnother() {
            try (Node node =
                    Node.start(database, Handlers.class, "queue.queues.busy.slots=2", "queue.queues.calm.slots=1")) {
                Handlers handlers = node.bean(Handlers.class);
                List<UUID> busy = node.publisher()
                        .publishAll(IntStream.range(0, 50)
                                .mapToObj(i -> Job.of("slow", i).queue("busy").priority(9))
                                .toList());
                await().until(() -> handlers.running.get() == 2);
                for (int i = 0; i < 5; i++) {
                    rows.await(
                            JobState.COMPLETED,
                            node.publisher().publish(Job.of("quick", i).queue("calm")));
                }
                assertThat(handlers.running).hasValue(2);
                assertThat(rows.count(JobState.RUNNING, "slow"))
                        .as("nothing is hoarded")
                        .isEqualTo(2);
                handlers.gate.release(50);
                rows.await(JobState.COMPLETED, busy);
                assertThat(handlers.most).hasValue(2);
            }
        }
    }

    @Nested
    class APause {

        @Test
        void lastsUntilTheQueueIsResumed() {
            try (Node node = Node.start(database, Handlers.class, "queue.queues.stopped.slots=1")) {
                node.operations().pause("stopped");
                UUID waits = node.publisher().publish(Job.of("quick", null).queue("stopped"));
                UUID other = node.publisher().publish("quick", null);
                rows.await(JobState.COMPLETED, other);
                assertThat(rows.state(waits)).hasValue(JobState.PENDING);
                node.operations().resume("stopped");
                rows.await(JobState.COMPLETED, waits);
            }
        }
    }

    @Nested
    class TheQueuesOfANode {

        @Test
        void areThoseThatMatch() {
            try (Node node = Node.start(
                    database, Handlers.class, "queue.worker.queues=mail*,exact", "queue.queues[mail.later].slots=3")) {
                UUID left = node.publisher().publish(Job.of("quick", null));
                rows.await(
                        JobState.COMPLETED,
                        node.publisher().publish(Job.of("quick", null).queue("mail.later")),
                        node.publisher().publish(Job.of("quick", null).queue("exact")));
                assertThat(rows.state(left)).hasValue(JobState.PENDING);
            }
        }
    }

    @Nested
    class ASmallPool {

        @Test
        void isEnough() {
            try (Node node = Node.start(database, Handlers.class, "spring.datasource.hikari.maximum-pool-size=3")) {
                List<UUID> ids = node.publisher()
                        .publishAll(IntStream.range(0, 300)
                                .mapToObj(i -> Job.of(i % 2 == 0 ? "queries" : "transacts", Map.of("number", i)))
                                .toList());
                rows.await(JobState.COMPLETED, ids.get(0));
                rows.awaitCount(JobState.COMPLETED, "queries", 150);
                rows.awaitCount(JobState.COMPLETED, "transacts", 150);
            }
        }

        @Test
        void isEnoughForTransactionalHandlersThatReport() {
            try (Node node = Node.start(
                    database,
                    Handlers.class,
                    "spring.datasource.hikari.maximum-pool-size=3",
                    "spring.datasource.hikari.connection-timeout=60000")) {
                List<UUID> ids = node.publisher()
                        .publishAll(IntStream.range(0, 30)
                                .mapToObj(i -> Job.of("reports", null))
                                .toList());
                rows.await(JobState.COMPLETED, ids);
                assertThat(rows.jdbc()
                                .sql("SELECT count(*) FROM queue.job_event e JOIN queue.job_history h ON h.id"
                                        + " = e.job_id"
                                        + " WHERE h.type = 'reports'")
                                .query(Integer.class)
                                .single())
                        .isGreaterThanOrEqualTo(2 * 30);
            }
        }
    }

    @Nested
    class ByDefault {

        @Test
        void thereIsOneWithTenSlotsOnPlatformThreads() {
            try (Node node = Node.start(database, Handlers.class, "queue.worker.queues=default")) {
                Handlers handlers = node.bean(Handlers.class);
                List<UUID> ids = node.publisher()
                        .publishAll(IntStream.range(0, 12)
                                .mapToObj(i -> Job.of("slow", i).queue("default"))
                                .toList());
                await().until(() -> handlers.running.get() == 10);
                handlers.gate.release(12);
                rows.await(JobState.COMPLETED, ids);
                assertThat(handlers.most).hasValue(10);
                assertThat(handlers.thread.get()).startsWith("Thread[").contains("queue-job-");
            }
        }
    }

    static class Handlers {

        final Semaphore gate = new Semaphore(0);
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final AtomicReference<String> thread = new AtomicReference<>("");

        private final JdbcClient jdbc;

        Handlers(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler(value = "slow", queue = "busy")
        void slow() throws InterruptedException {
            thread.set(Thread.currentThread().toString());
            int now = running.incrementAndGet();
            most.accumulateAndGet(now, Math::max);
            try {
                gate.acquire();
            } finally {
                running.decrementAndGet();
            }
        }

        @JobHandler(value = "quick", queue = "default")
        void quick() {}

        @JobHandler("queries")
        int query() {
            return jdbc.sql("SELECT 1 FROM pg_sleep(0.002)")
                    .query(Integer.class)
                    .single();
        }

        @JobHandler(value = "reports", transactional = true)
        void report(JobContext job) {
            query();
            job.progress(50, "half");
            job.log("half done");
            job.extend(Duration.ofHours(1));
        }

        @JobHandler(value = "transacts", transactional = true)
        int transact() {
            return query();
        }
    }
}
