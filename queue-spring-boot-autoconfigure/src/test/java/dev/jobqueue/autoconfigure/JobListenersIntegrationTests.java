package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.MatchingJobs;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.spi.JobEnding;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobListener;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class JobListenersIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static Recorder recorder;

    @BeforeAll
    static void start() {
        node = Node.start(database, Handlers.class, "queue.worker.ttl=3s", "queue.worker.heartbeat-interval=1s");
        recorder = node.bean(Recorder.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static UUID publish(String type) {
        return node.publisher().publish(Job.of(type, null).maxAttempts(2));
    }

    private static void awaitCalls(UUID id, String... calls) {
        await().untilAsserted(() -> assertThat(recorder.calls(id)).containsExactly(calls));
    }

    @Test
    void hearOfAJobThatIsCompleted() {
        UUID id = publish("fine");
        awaitCalls(id, "published", "started", "ended", "completed");
        assertThat(recorder.of(id)).allSatisfy(event -> {
            assertThat(event.type()).isEqualTo("fine");
            assertThat(event.queue()).isEqualTo("default");
            assertThat(event.at()).isBetween(event.at().minusSeconds(60), Instant.now());
        });
        assertThat(recorder.lastRun(id).attempt()).isEqualTo(1);
        assertThat(recorder.lastRun(id).ran()).isPositive();
        assertThat(recorder.lastRun(id).error()).isNull();
    }

    @Test
    void hearOfATransactionalHandler() {
        awaitCalls(publish("transactional"), "published", "started", "ended", "completed");
    }

    @Test
    void hearOfEachAttemptThatThrewAndOfTheDeadJob() {
        UUID id = publish("broken");
        awaitCalls(id, "published", "started", "ended", "attemptFailed", "started", "ended", "dead");
        assertThat(recorder.runs(id))
                .extracting(JobEvent.Ended::error)
                .containsOnly("java.lang.IllegalStateException: on purpose");
        assertThat(recorder.runs(id)).extracting(JobEvent.Ended::attempt).containsExactly(1, 1, 2, 2);
        assertThat(recorder.runs(id).get(0).nextAttemptAt()).isNotNull();
        assertThat(recorder.lastRun(id).nextAttemptAt()).isNull();
    }

    @Test
    void hearOfASnooze() {
        UUID id = publish("snoozing");
        awaitCalls(id, "published", "started", "ended");
        assertThat(recorder.lastRun(id).ending()).isEqualTo(JobEnding.SNOOZED);
    }

    @Test
    void hearOfACancelledRun() {
        UUID id = publish("waiting");
        await().until(() -> recorder.calls(id).contains("started"));
        node.bean(JobOperations.class).cancel(id);
        awaitCalls(id, "published", "started", "ended", "cancelled");
        assertThat(recorder.cancelled(id))
                .returns(1, JobEvent.Cancelled::attempts)
                .returns(true, JobEvent.Cancelled::ran);
    }

    @Test
    void hearOfAWaitingJobThatIsCancelled() {
        UUID id = node.publisher().publish(Job.of("later", null).delay(Duration.ofDays(1)));
        node.bean(JobOperations.class).cancel(id);
        awaitCalls(id, "published", "cancelled");
        assertThat(recorder.cancelled(id))
                .returns("later", JobEvent::type)
                .returns("default", JobEvent::queue)
                .returns(0, JobEvent.Cancelled::attempts)
                .returns(false, JobEvent.Cancelled::ran);

        // it is cancelled already
        node.bean(JobOperations.class).cancel(id);
        awaitCalls(publish("fine"), "published", "started", "ended", "completed");
        awaitCalls(id, "published", "cancelled");
    }

    @Test
    void hearOfWaitingJobsThatAreCancelledByFilter() {
        List<UUID> ids = node.publisher()
                .publishAll(IntStream.range(0, 3)
                        .mapToObj(i -> Job.of("many", i).delay(Duration.ofDays(1)))
                        .toList());
        MatchingJobs many = node.bean(JobOperations.class)
                .all(JobFilter.of(JobState.SCHEDULED).type("many"));
        many.dryRun().cancel();
        assertThat(many.cancel().jobs()).isEqualTo(3);
        ids.forEach(id -> awaitCalls(id, "published", "cancelled"));
        assertThat(recorder.cancelled(ids.get(0)))
                .returns("many", JobEvent::type)
                .returns("default", JobEvent::queue)
                .returns(0, JobEvent.Cancelled::attempts);
    }

    @Test
    void hearNothingOfACancellationThatIsRolledBack() {
        UUID id = node.publisher().publish(Job.of("later", null).delay(Duration.ofDays(1)));
        new TransactionTemplate(node.bean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            node.bean(JobOperations.class).cancel(id);
            status.setRollbackOnly();
        });
        awaitCalls(publish("fine"), "published", "started", "ended", "completed");
        awaitCalls(id, "published");
    }

    /** Of a worker that never beats. */
    @Test
    void hearOfARescueAndWhatFollows() {
        UUID id =
                node.publisher().publish(Job.of("fine", null).queue("elsewhere").maxAttempts(1));
        rows.jdbc()
                .sql("SELECT queue.claim(gen_random_uuid(), '{elsewhere}', '{1}')")
                .query()
                .listOfRows();
        awaitCalls(id, "published", "rescued", "dead");
        assertThat(recorder.lastRun(id).error()).startsWith("worker ");
        assertThat(recorder.lastRun(id).attempt()).isEqualTo(1);
    }

    @Test
    void hearOfWhatIsCommittedAlone() {
        TransactionTemplate transactions = new TransactionTemplate(node.bean(PlatformTransactionManager.class));
        UUID undone = UUID.randomUUID();
        UUID done = UUID.randomUUID();
        transactions.executeWithoutResult(status -> {
            node.publisher().publish(Job.of("later", null).id(undone).delay(Duration.ofDays(1)));
            status.setRollbackOnly();
        });
        transactions.executeWithoutResult(status -> {
            node.publisher().publish(Job.of("later", null).id(done).delay(Duration.ofDays(1)));
            assertThat(recorder.calls(done)).isEmpty();
        });
        awaitCalls(done, "published");
        assertThat(((JobEvent.Published) recorder.of(done).get(0)).runAt())
                .isAfter(Instant.now().plus(Duration.ofHours(23)));
        assertThat(recorder.calls(undone)).isEmpty();
    }

    @Test
    void hearOnceOfAUniqueKey() {
        Job job = Job.of("later", null).uniqueKey("one").delay(Duration.ofDays(1));
        UUID id = node.publisher().publish(job);
        assertThat(node.publisher().publish(job)).isEqualTo(id);
        UUID after = publish("fine");
        await().until(() -> recorder.calls(after).contains("published"));
        assertThat(recorder.calls(id)).containsExactly("published");
    }

    @Test
    void hearOfTheJobsOfSchedules() {
        await().until(() -> recorder.ofType("ticking").anyMatch(JobEvent.Published.class::isInstance));
    }

    /** More events than the listeners' queue holds, while one of them is still being told. */
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void doNotSlowTheQueueDown() {
        TestDatabase another = TestDatabase.create();
        try (Node slow = Node.start(another, Stuck.class)) {
            slow.publisher()
                    .publishAll(IntStream.range(0, 5_000)
                            .mapToObj(i -> Job.of("fine", i))
                            .toList());
            new JobRows(another).awaitCount(JobState.COMPLETED, "fine", 5_000);
            assertThat(slow.bean(Stuck.Sleeper.class).calls).hasSize(1);
            slow.bean(Stuck.Sleeper.class).go.countDown();
            await().until(() -> slow.bean(Stuck.Sleeper.class).calls.size() > 5_000);
        }
    }

    @Import({Recorder.class, Broken.class})
    static class Handlers {

        @JobHandler("fine")
        void fine() {}

        @JobHandler(value = "transactional", transactional = true)
        void transactional() {}

        @JobHandler(value = "broken", backoff = "10ms")
        void broken() {
            throw new IllegalStateException("on purpose");
        }

        @JobHandler("snoozing")
        void snooze(JobContext job) {
            job.snooze(Duration.ofDays(1));
        }

        @JobHandler("waiting")
        void sleep() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @JobHandler("ticking")
        @JobSchedule(every = "1s")
        void tick() {}
    }

    /** Called before the recorder, which hears everything all the same. */
    @Order(1)
    static class Broken implements JobListener {

        @Override
        public void published(JobEvent.Published job) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void ended(JobEvent.Ended run) {
            throw new StackOverflowError("on purpose");
        }
    }

    @Order(2)
    static class Recorder implements JobListener {

        private record Call(String method, JobEvent event) {}

        private final List<Call> calls = new CopyOnWriteArrayList<>();

        List<String> calls(UUID id) {
            return calls.stream()
                    .filter(call -> call.event.id().equals(id))
                    .map(Call::method)
                    .toList();
        }

        List<JobEvent> of(UUID id) {
            return calls.stream()
                    .map(Call::event)
                    .filter(event -> event.id().equals(id))
                    .toList();
        }

        Stream<JobEvent> ofType(String type) {
            return calls.stream().map(Call::event).filter(event -> event.type().equals(type));
        }

        List<JobEvent.Ended> runs(UUID id) {
            return of(id).stream()
                    .filter(JobEvent.Ended.class::isInstance)
                    .map(JobEvent.Ended.class::cast)
                    .toList();
        }

        JobEvent.Cancelled cancelled(UUID id) {
            List<JobEvent> events = of(id);
            return (JobEvent.Cancelled) events.get(events.size() - 1);
        }

        JobEvent.Ended lastRun(UUID id) {
            List<JobEvent.Ended> runs = runs(id);
            return runs.get(runs.size() - 1);
        }

        @Override
        public void published(JobEvent.Published job) {
            calls.add(new Call("published", job));
        }

        @Override
        public void started(JobEvent.Started run) {
            calls.add(new Call("started", run));
        }

        @Override
        public void ended(JobEvent.Ended run) {
            calls.add(new Call("ended", run));
        }

        @Override
        public void completed(JobEvent.Ended run) {
            calls.add(new Call("completed", run));
        }

        @Override
        public void attemptFailed(JobEvent.Ended run) {
            calls.add(new Call("attemptFailed", run));
        }

        @Override
        public void dead(JobEvent.Ended run) {
            calls.add(new Call("dead", run));
        }

        @Override
        public void cancelled(JobEvent.Cancelled job) {
            calls.add(new Call("cancelled", job));
        }

        @Override
        public void rescued(JobEvent.Rescued job) {
            calls.add(new Call("rescued", job));
        }
    }

    @Import(Stuck.Sleeper.class)
    static class Stuck {

        @JobHandler("fine")
        void fine() {}

        static class Sleeper implements JobListener {

            private final List<UUID> calls = new CopyOnWriteArrayList<>();
            private final CountDownLatch go = new CountDownLatch(1);

            @Override
            public void published(JobEvent.Published job) {
                calls.add(job.id());
                try {
                    go.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void completed(JobEvent.Ended run) {
                calls.add(run.id());
            }
        }
    }
}
