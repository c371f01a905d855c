package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Import;

class SeveralNodesIntegrationTests {

    private static final String[] QUICK_BEATS = {
        "queue.worker.heartbeat-interval=200ms", "queue.worker.ttl=4s", "queue.worker.poll-interval=1s"
    };

    /** So rare that none of them explains a cancellation that arrives. */
    private static final String[] RARE_BEATS = {"queue.worker.heartbeat-interval=1h", "queue.worker.ttl=3h"};

    private static final String[] NO_LISTENER = {RARE_BEATS[0], RARE_BEATS[1], "queue.listener.enabled=false"};

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);

    @Test
    void handleEachOfManyJobsOnce() {
        try (Node one = Node.start(database, Counting.class);
                Node two = Node.start(database, Counting.class);
                Node three = Node.start(database, Counting.class)) {
            List<Job> jobs = IntStream.range(0, 1_700)
                    .mapToObj(i -> Job.of("counted", i))
                    .toList();
            List<Node> nodes = List.of(one, two, three);
            AtomicInteger published = new AtomicInteger();
            await().until(() -> {
                nodes.forEach(node -> node.publisher().publishAll(jobs));
                rows.awaitCount(JobState.COMPLETED, "counted", published.addAndGet(3 * jobs.size()));
                return nodes.stream().noneMatch(node -> handledBy(node).isEmpty());
            });
            List<UUID> handled =
                    nodes.stream().flatMap(node -> handledBy(node).stream()).toList();
            assertThat(handled).hasSize(published.get()).doesNotHaveDuplicates();
        }
    }

    private static Queue<UUID> handledBy(Node node) {
        return node.bean(Counting.class).handled;
    }

    @Test
    void handleWhatOnlyOneOfThemCan() {
        try (Node plain = Node.start(database, Counting.class);
                Node able = Node.start(database, Able.class)) {
            UUID special = plain.publisher().publish("special", null);
            UUID unknown = plain.publisher().publish("unknown", null);
            UUID after = plain.publisher().publish("counted", 1);
            rows.await(JobState.COMPLETED, special, after);
            assertThat(able.bean(Able.class).handled).hasValue(1);
            assertThat(rows.state(unknown)).hasValue(JobState.PENDING);
            assertThat(rows.attempt(unknown)).isZero();
        }
    }

    @Test
    void cancelWhatAnotherRuns() {
        try (Node runs = Node.start(database, LongRunning.class, RARE_BEATS);
                Node other = Node.start(database, Nothing.class)) {
            UUID id = other.publisher().publish("long", null);
            await().until(() -> runs.bean(LongRunning.class).running.getCount() == 0);
            await().until(runs::isListening);
            assertThat(other.operations().cancel(id)).isEqualTo(JobState.RUNNING);
            await().untilAsserted(() -> assertThat(rows.state(id)).hasValue(JobState.CANCELLED));
            assertThat(runs.bean(LongRunning.class).cancelled.getCount()).isZero();
        }
    }

    @Test
    void cancelWhatAnotherRunsWithoutAListener() {
        try (Node runs = Node.start(database, LongRunning.class, NO_LISTENER);
                Node other = Node.start(database, Nothing.class)) {
            UUID id = runs.publisher().publish("long", null);
            await().until(() -> runs.bean(LongRunning.class).running.getCount() == 0);
            other.operations().cancel(id);
            await().untilAsserted(() -> assertThat(rows.state(id)).hasValue(JobState.CANCELLED));
        }
    }

    @Test
    void tellTheOthersWhoTheyAre() {
        try (Node node = Node.start(
                database, Able.class, "spring.application.version=1.2.3", "queue.worker.queues=default,mail")) {
            await().untilAsserted(() -> assertThat(rows.jdbc()
                            .sql("SELECT host <> '' AS named, pid::bigint, version, queues::text, types::text,"
                                    + " beat_at > clock_timestamp() - interval '1 minute' AS beats"
                                    + " FROM queue.worker WHERE id = ?")
                            .param(node.workerId())
                            .query()
                            .listOfRows())
                    .singleElement()
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("named", true)
                    .containsEntry("pid", ProcessHandle.current().pid())
                    .containsEntry("version", "1.2.3")
                    .containsEntry("queues", "{default,mail}")
                    .containsEntry("types", "{special}")
                    .containsEntry("beats", true));
        }
    }

    @Test
    void rescueTheJobsOfOneThatIsCutOff() {
        try (Node dies = Node.start(database, Stuck.class, QUICK_BEATS)) {
            UUID id = dies.publisher().publish("stuck", null);
            await().until(() -> dies.bean(Stuck.class).begun.get() == 1);
            UUID firstId = dies.workerId();
            try (Node lives = Node.start(database, Stuck.class, QUICK_BEATS)) {
                lives.bean(Stuck.class).gate.release(10);
                // a job that had not begun at the last beat would cost no attempt
                await().until(() -> rows.jdbc()
                        .sql("SELECT w.beat_at > l.claimed_at FROM queue.worker w JOIN queue.lease l ON"
                                + " l.worker_id = w.id"
                                + " WHERE w.id = ?")
                        .param(firstId)
                        .query(Boolean.class)
                        .single());
                dies.bean(Partition.class).cut();
                rows.await(JobState.COMPLETED, id);
                assertThat(rows.errors(id)).singleElement().asString().contains("stopped beating", firstId.toString());
                assertThat(rows.attempt(id)).isEqualTo(2);
            }
            dies.bean(Partition.class).heal();
            await().until(() -> dies.bean(Stuck.class).interrupted.get() == 1);
            await().untilAsserted(() ->
                    assertThat(dies.workerId()).as("goes on under a new id").isNotEqualTo(firstId));
            dies.bean(Stuck.class).gate.release(10);
            rows.await(JobState.COMPLETED, dies.publisher().publish("stuck", null));
        }
    }

    @Test
    void goOnUnderANewIdAfterTheyWereDeclaredDead() {
        try (Node node = Node.start(database, Stuck.class, QUICK_BEATS)) {
            UUID id = node.publisher().publish("stuck", null);
            Stuck stuck = node.bean(Stuck.class);
            await().until(() -> stuck.begun.get() == 1);
            for (int i = 1; i <= 2; i++) {
                UUID before = node.workerId();
                assertThat(rows.jdbc()
                                .sql("UPDATE queue.worker SET dead_at = now() WHERE id = ?")
                                .param(before)
                                .update())
                        .isOne();
                int times = i;
                await().untilAsserted(() -> {
                    assertThat(node.workerId()).isNotEqualTo(before);
                    assertThat(stuck.interrupted).hasValue(times);
                    assertThat(stuck.begun).as("rescued and claimed again").hasValue(times + 1);
                });
            }
            stuck.gate.release();
            rows.await(JobState.COMPLETED, id);
            // those of which the node had told by a beat
            assertThat(rows.attempt(id)).isBetween(1, 3);
        }
    }

    @Test
    void deliverTheResultsOfJobsThatFinishedWhileTheDatabaseWasAway() {
        try (Node node = Node.start(database, Stuck.class)) {
            UUID id = node.publisher().publish("stuck", null);
            Stuck stuck = node.bean(Stuck.class);
            await().until(() -> stuck.begun.get() == 1);
            node.bean(Partition.class).cut();
            stuck.gate.release();
            await().until(() -> stuck.ended.get() == 1);
            assertThat(rows.state(id)).hasValue(JobState.RUNNING);
            node.bean(Partition.class).heal();
            rows.await(JobState.COMPLETED, id);
            assertThat(rows.attempt(id)).isEqualTo(1);
        }
    }

    static class Nothing {}

    static class Counting {

        final Queue<UUID> handled = new ConcurrentLinkedQueue<>();

        @JobHandler("counted")
        void count(JobContext job) {
            handled.add(job.id());
        }
    }

    static class Able {

        final AtomicInteger handled = new AtomicInteger();

        @JobHandler("special")
        void handle() {
            handled.incrementAndGet();
        }
    }

    static class LongRunning {

        final CountDownLatch running = new CountDownLatch(1);
        final CountDownLatch cancelled = new CountDownLatch(1);

        @JobHandler("long")
        void run(JobContext job) throws InterruptedException {
            running.countDown();
            try {
                Thread.sleep(600_000);
            } catch (InterruptedException ex) {
                if (job.isCancelled()) {
                    cancelled.countDown();
                }
                throw ex;
            }
        }
    }

    @Import(Partition.class)
    static class Stuck {

        final Semaphore gate = new Semaphore(0);
        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger interrupted = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();

        @JobHandler(value = "stuck", maxAttempts = 5)
        void run() throws InterruptedException {
            begun.incrementAndGet();
            try {
                gate.acquire();
                ended.incrementAndGet();
            } catch (InterruptedException ex) {
                interrupted.incrementAndGet();
                throw ex;
            }
        }
    }
}
