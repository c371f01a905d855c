package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.Job;
import dev.jobqueue.JobExistsException;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.OnConflict;
import dev.jobqueue.PublishResult;
import dev.jobqueue.PublishResult.Outcome;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobInterceptor;
import dev.jobqueue.spi.JobListener;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Jobs with unique keys on a node that hears of jobs by whoever publishes them, and by nothing else for an hour. */
class UniqueJobsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static JobPublisher jobs;
    private static Handlers handlers;

    @BeforeAll
    static void start() {
        node = Node.start(database, Handlers.class, "queue.listener.enabled=false", "queue.worker.poll-interval=1h");
        jobs = node.publisher();
        handlers = node.bean(Handlers.class);
    }

    @AfterAll
    static void stop() {
        handlers.gate.countDown();
        node.close();
    }

    private static TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(node.bean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }

    private static <T> T perhapsInTransaction(boolean inTransaction, Supplier<T> work) {
        return inTransaction
                ? transaction(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> work.get())
                : work.get();
    }

    private static Job later(String key) {
        return Job.of("later", 1).uniqueKey(key).delay(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tellWhatHappened(boolean inTransaction) {
        String key = "told " + inTransaction;
        List<PublishResult> answers = perhapsInTransaction(
                inTransaction,
                () -> List.of(
                        jobs.publishWithOutcome(later(key)),
                        jobs.publishWithOutcome(later(key)),
                        jobs.publishWithOutcome(later(key).onConflict(OnConflict.REPLACE)),
                        jobs.publishWithOutcome(Job.of("later", 1).delay(Duration.ofHours(1)))));

        assertThat(answers)
                .extracting(PublishResult::outcome)
                .containsExactly(Outcome.NEW, Outcome.EXISTING, Outcome.REPLACED, Outcome.NEW);
        assertThat(answers.subList(0, 3))
                .extracting(PublishResult::id)
                .containsOnly(answers.get(0).id());
        assertThat(jobs.publishAllWithOutcome(List.of())).isEmpty();
    }

    /** Such a list has jobs that may start at once and jobs that may not. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mayBePublishedTogetherWithOthers(boolean inTransaction) {
        String key = "mixed " + inTransaction;
        rows.await(JobState.COMPLETED, jobs.publish("noted", "idle now"));

        List<PublishResult> answers = perhapsInTransaction(
                inTransaction,
                () -> jobs.publishAllWithOutcome(List.of(
                        Job.of("noted", key),
                        later(key),
                        Job.of("later", 1).delay(Duration.ofHours(1)),
                        Job.of("noted", key).uniqueKey(key).uniqueFor(Duration.ofHours(1)))));

        assertThat(answers).extracting(PublishResult::outcome).containsOnly(Outcome.NEW);
        rows.await(JobState.COMPLETED, answers.get(0).id());
        rows.await(JobState.COMPLETED, answers.get(3).id());
        assertThat(jobs.publishWithOutcome(Job.of("noted", key).uniqueKey(key)))
                .as("has ended, and keeps its key")
                .isEqualTo(new PublishResult(answers.get(3).id(), Outcome.EXISTING));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void startAtOnceWhenTheyAreReplacedByOneThatIsDue(boolean inTransaction) {
        String key = "hurried " + inTransaction;
        UUID id = jobs.publish(Job.of("noted", 1).uniqueKey(key).delay(Duration.ofHours(1)));

        perhapsInTransaction(
                inTransaction,
                () -> jobs.publish(Job.of("noted", key).uniqueKey(key).onConflict(OnConflict.REPLACE)));

        rows.await(JobState.COMPLETED, id);
        assertThat(handlers.noted).contains(key);
    }

    @Test
    void startSoonerWhenTheyAreReplacedByOneThatIsDueSooner() {
        UUID id = jobs.publish(later("sooner"));

        jobs.publish(later("sooner").type("later").delay(Duration.ofMillis(100)).onConflict(OnConflict.REPLACE));

        rows.await(JobState.COMPLETED, id);
    }

    @Test
    void runOnceWithTheLatestPayloadWhenTheyAreDebounced() {
        Duration delay = Duration.ofMillis(500);
        PublishResult first = jobs.publishWithOutcome(Job.of("noted", "b1").debounce("b", delay, Duration.ofHours(1)));
        for (String payload : List.of("b2", "b3", "b4")) {
            jobs.publish(Job.of("noted", payload).debounce("b", delay, Duration.ofHours(1)));
        }

        rows.await(JobState.COMPLETED, first.id());
        assertThat(handlers.noted).contains("b4").doesNotContain("b1", "b2", "b3");
    }

    @Test
    void areOneThatRunsAndTheNewestThatWaits() {
        Job job = Job.of("held", "h1").uniqueKey("held").onConflict(OnConflict.REPLACE);
        UUID running = jobs.publish(job);
        rows.await(JobState.RUNNING, running);

        PublishResult waiting =
                jobs.publishWithOutcome(Job.of("held", "h2").uniqueKey("held").onConflict(OnConflict.REPLACE));
        PublishResult newest =
                jobs.publishWithOutcome(Job.of("held", "h3").uniqueKey("held").onConflict(OnConflict.REPLACE));
        assertThat(waiting.outcome()).isEqualTo(Outcome.NEW);
        assertThat(newest)
                .isIn(
                        new PublishResult(waiting.id(), Outcome.REPLACED), // the usual case: other slots may be quicker
                        new PublishResult(newest.id(), Outcome.NEW));
        handlers.gate.countDown();

        rows.await(JobState.COMPLETED, running);
        rows.await(JobState.COMPLETED, newest.id());
        assertThat(handlers.noted).contains("h1", "h3");
    }

    @Test
    void failWithTheIdOfTheOtherJob() {
        UUID id = jobs.publish(later("refused"));
        List<Job> both = List.of(Job.of("never", 1), later("refused").onConflict(OnConflict.FAIL));

        assertThatExceptionOfType(JobExistsException.class)
                .isThrownBy(() -> jobs.publishAll(both))
                .withMessageContaining("unique_key is 'refused': job '%s'", id)
                .returns(id, JobExistsException::jobId);
        UUID kept = transaction(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> {
            UUID before = jobs.publish(Job.of("later", 1).delay(Duration.ofHours(1)));
            assertThatExceptionOfType(JobExistsException.class)
                    .isThrownBy(() -> transaction(TransactionDefinition.PROPAGATION_NESTED)
                            .execute(nested -> jobs.publishAll(both)))
                    .returns(id, JobExistsException::jobId);
            return before;
        });
        assertThat(rows.state(kept)).hasValue(JobState.SCHEDULED);
        assertThat(rows.count(JobState.PENDING, "never")).isZero();
    }

    @Test
    void areToldToListenersWhenTheyAreNewOrReplaced() {
        UUID id = jobs.publish(later("heard"));
        jobs.publish(later("heard"));
        jobs.publish(later("heard").queue("other").onConflict(OnConflict.REPLACE));
        UUID after = jobs.publish("noted", "after");

        Recorder recorder = node.bean(Recorder.class);
        await().until(() ->
                recorder.events.stream().anyMatch(event -> event.id().equals(after)));
        assertThat(recorder.events.stream().filter(event -> event.id().equals(id)))
                .extracting(JobEvent.Published::queue)
                .containsExactly("default", "other");
    }

    @Import({Recorder.class, Marker.class})
    static class Handlers {

        private final List<String> noted = new CopyOnWriteArrayList<>();
        private final CountDownLatch gate = new CountDownLatch(1);

        @JobHandler("noted")
        void note(String payload) {
            noted.add(payload);
        }

        @JobHandler("later")
        void later(int payload) {}

        @JobHandler("held")
        void hold(String payload) throws InterruptedException {
            gate.await();
            noted.add(payload);
        }
    }

    static class Recorder implements JobListener {

        private final List<JobEvent.Published> events = new CopyOnWriteArrayList<>();

        @Override
        public void published(JobEvent.Published job) {
            events.add(job);
        }
    }

    /** Changes every job on its way. */
    static class Marker implements JobInterceptor {

        @Override
        public List<UUID> publish(List<Job> given, Publication next) {
            return next.proceed(
                    given.stream().map(job -> job.header("marked", "yes")).toList());
        }
    }
}
