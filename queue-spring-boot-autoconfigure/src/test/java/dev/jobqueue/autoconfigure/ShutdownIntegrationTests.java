package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

@ExtendWith(OutputCaptureExtension.class)
class ShutdownIntegrationTests {

    private static final String IMPATIENT = "queue.worker.shutdown-grace=100ms";

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);

    @Test
    void givesBackWhatDoesNotFinishInTime(CapturedOutput output) {
        List<UUID> ids;
        Handlers handlers;
        UUID workerId;
        try (Node node = Node.start(database, Handlers.class, IMPATIENT)) {
            ids = node.publisher()
                    .publishAll(List.of(Job.of("long", 1), Job.of("long", 2), Job.of("long.transactional", 3)));
            handlers = node.bean(Handlers.class);
            workerId = node.workerId();
            await().until(() -> handlers.begun.get() == 3);
        }
        await().until(() -> handlers.interrupted.get() == 3);
        assertThat(handlers.told)
                .as("knew why, before their jobs were given away")
                .hasValue(3);
        assertReleased(ids);
        assertThat(rows.jdbc()
                        .sql("SELECT count(*) FROM queue.worker WHERE id = ?")
                        .param(workerId)
                        .query(Long.class)
                        .single())
                .as("rows of the worker that left")
                .isZero();
        cancel(ids);
        assertThat(output)
                .contains(
                        "Stopping 3 jobs that did not finish within 100ms: ",
                        "long " + ids.get(0),
                        "long " + ids.get(1),
                        "long.transactional " + ids.get(2));
    }

    @Test
    void namesNoMoreThanTenOfTheJobsThatItStops(CapturedOutput output) {
        List<UUID> ids;
        try (Node node = Node.start(database, Handlers.class, IMPATIENT, "queue.worker.slots=12")) {
            ids = node.publisher().publishAll(Collections.nCopies(12, Job.of("long", null)));
            Handlers handlers = node.bean(Handlers.class);
            await().until(() -> handlers.begun.get() == 12);
        }
        cancel(ids);
        assertThat(output)
                .containsPattern("Stopping 12 jobs .*: (long [0-9a-f-]{36}, ){9}long [0-9a-f-]{36} and 2 more");
    }

    @Test
    void givesBackWhatIgnoresTheInterrupt() {
        UUID id;
        Handlers handlers;
        try (Node node = Node.start(database, Handlers.class, IMPATIENT)) {
            id = node.publisher().publish("deaf", null);
            handlers = node.bean(Handlers.class);
            await().until(() -> handlers.begun.get() == 1);
        }
        assertReleased(List.of(id));
        handlers.deaf.countDown();
        cancel(List.of(id));
    }

    @Test
    void letsRunningJobsFinishWithinTheGracePeriodAndGivesBackTheBuffer() {
        Node node = Node.start(database, Handlers.class, "queue.queues.narrow.slots=1");
        Handlers handlers = node.bean(Handlers.class);
        // quick ones before and after: the worker claims ahead, and the slow one is in the way
        List<Job> jobs = new ArrayList<>();
        IntStream.range(0, 200).forEach(i -> jobs.add(Job.of("quick", i).priority(2)));
        jobs.add(Job.of("slow", null).priority(1));
        IntStream.range(0, 500).forEach(i -> jobs.add(Job.of("quick", i)));
        List<UUID> ids = node.publisher()
                .publishAll(jobs.stream().map(job -> job.queue("narrow")).toList());
        UUID slow = ids.get(200);
        List<UUID> behind = ids.subList(201, 701);
        await().until(() -> handlers.begun.get() == 1);
        await().untilAsserted(() -> assertThat(rows.count(JobState.RUNNING, "quick"))
                .as("claimed ahead")
                .isPositive());
        CompletableFuture<Void> closing = CompletableFuture.runAsync(node::close);
        await().untilAsserted(
                        () -> assertThat(rows.count(JobState.RUNNING, "quick")).isZero());
        assertThat(closing).isNotDone();
        handlers.gate.release();
        assertThat(closing).succeedsWithin(Duration.ofSeconds(60));
        assertThat(rows.state(slow)).hasValue(JobState.COMPLETED);
        assertThat(rows.jdbc()
                        .sql("SELECT count(*) FROM queue.live_job WHERE type = 'quick' AND state = 'PENDING'"
                                + " AND attempt = 0 AND errors IS NULL")
                        .query(Long.class)
                        .single())
                .isEqualTo(behind.size());
        rows.jdbc()
                .sql("SELECT count(queue.cancel(id)) FROM queue.live_job WHERE type = 'quick'")
                .query(Long.class)
                .single();
    }

    @Test
    void losesNothingInAStreamOfJobs() {
        List<UUID> ids;
        try (Node node = Node.start(database, Handlers.class)) {
            ids = node.publisher()
                    .publishAll(IntStream.range(0, 3_000)
                            .mapToObj(i -> Job.of("streamed", i))
                            .toList());
            await().until(() -> node.bean(Handlers.class).streamed.get() > 100);
        }
        assertThat(rows.count(JobState.RUNNING, "streamed")).isZero();
        assertThat(rows.count(JobState.PENDING, "streamed") + rows.count(JobState.COMPLETED, "streamed"))
                .isEqualTo(ids.size());
        assertThat(rows.jdbc()
                        .sql("SELECT count(*) FROM queue.live_job WHERE type = 'streamed' AND (attempt > 0 OR"
                                + " errors IS NOT NULL)")
                        .query(Long.class)
                        .single())
                .isZero();
        try (Node next = Node.start(database, Handlers.class)) {
            rows.awaitCount(JobState.COMPLETED, "streamed", ids.size());
            assertThat(next.bean(Handlers.class).streamed.get()).isLessThan(ids.size());
        }
    }

    @Test
    void mayBeFollowedByAnotherStart() {
        try (Node node = Node.start(database, Handlers.class)) {
            WorkerLifecycle lifecycle = node.bean(WorkerLifecycle.class);
            lifecycle.stop();
            assertThat(lifecycle.isRunning()).isFalse();
            UUID id = node.publisher().publish("quick", null);
            assertThat(rows.state(id)).hasValue(JobState.PENDING);
            lifecycle.start();
            rows.await(JobState.COMPLETED, id);
        }
    }

    private static void assertReleased(List<UUID> ids) {
        assertThat(ids).allSatisfy(id -> {
            assertThat(rows.state(id)).hasValue(JobState.PENDING);
            assertThat(rows.attempt(id)).isZero();
            assertThat(rows.errors(id)).isEmpty();
        });
    }

    private static void cancel(List<UUID> ids) {
        ids.forEach(id -> rows.jdbc()
                .sql("SELECT queue.cancel(?)")
                .param(id)
                .query(String.class)
                .single());
    }

    static class Handlers {

        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger interrupted = new AtomicInteger();
        final AtomicInteger told = new AtomicInteger();
        final AtomicInteger streamed = new AtomicInteger();
        final CountDownLatch deaf = new CountDownLatch(1);
        final Semaphore gate = new Semaphore(0);

        private final JdbcClient jdbc;

        Handlers(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler("long")
        void run(JobContext job) throws InterruptedException {
            begun.incrementAndGet();
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException ex) {
                told.addAndGet(job.isCancelled() ? 1 : 0);
                interrupted.incrementAndGet();
                throw ex;
            }
        }

        @JobHandler(value = "long.transactional", transactional = true)
        void runInTransaction(JobContext job) throws InterruptedException {
            jdbc.sql("SELECT 1").query(Integer.class).single();
            run(job);
        }

        @JobHandler("deaf")
        void ignore() {
            begun.incrementAndGet();
            while (deaf.getCount() > 0) {
                try {
                    deaf.await();
                } catch (InterruptedException ex) {
                    interrupted.incrementAndGet();
                }
            }
        }

        @JobHandler("slow")
        void slow() throws InterruptedException {
            begun.incrementAndGet();
            gate.acquire();
        }

        @JobHandler("quick")
        void quick() {}

        @JobHandler("streamed")
        void stream() {
            streamed.incrementAndGet();
        }
    }
}
