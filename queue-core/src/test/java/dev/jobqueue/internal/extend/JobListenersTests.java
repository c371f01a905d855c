package dev.jobqueue.internal.extend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobqueue.JobState;
import dev.jobqueue.spi.JobEnding;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobListener;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

class JobListenersTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Logger logger = (Logger) LoggerFactory.getLogger(ListenerCalls.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicInteger dropped = new AtomicInteger();
    private final JobListeners listeners = new JobListeners(dropped::addAndGet, true);
    private final QueueEvents events = new QueueEvents(List.of(), listeners);
    private final Recorder recorder = new Recorder();

    @BeforeEach
    void watchTheLog() {
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() throws InterruptedException {
        listeners.stop();
        logger.detachAppender(lines);
    }

    private static JobEvent.Started started() {
        return new JobEvent.Started(UUID.randomUUID(), "mail", "mails", Instant.now(), 1, Duration.ZERO);
    }

    private static JobEvent.Ended ended(JobEnding ending) {
        return new JobEvent.Ended(
                UUID.randomUUID(), "mail", "mails", Instant.now(), 1, ending, Duration.ZERO, Duration.ZERO, null, null);
    }

    private static JobEvent.Rescued rescued(JobState state) {
        return new JobEvent.Rescued(UUID.randomUUID(), "mail", "mails", Instant.now(), 3, state, "worker is gone");
    }

    private void awaitCalls(String... calls) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(recorder.calls).containsExactly(calls));
    }

    @ParameterizedTest
    @CsvSource({
        "COMPLETED, completed",
        "RETRIED, attemptFailed",
        "DEAD, dead",
        "CANCELLED, cancelled",
        "SNOOZED, ",
        "RELEASED, ",
        "LEASE_LOST, "
    })
    void hearOfEachEnding(JobEnding ending, String method) {
        listeners.start(List.of(recorder));
        events.started(started());
        events.ended(ended(ending));
        if (method == null) {
            awaitCalls("started", "ended " + ending);
        } else if (ending == JobEnding.CANCELLED) {
            awaitCalls("started", "ended " + ending, "cancelled after 1 attempts");
        } else {
            awaitCalls("started", "ended " + ending, method + " " + ending + " in attempt 1");
        }
    }

    @Test
    void hearWhatBecameOfARescuedJob() {
        listeners.start(List.of(recorder));
        events.rescued(List.of(rescued(JobState.PENDING), rescued(JobState.DEAD), rescued(JobState.CANCELLED)));
        awaitCalls(
                "rescued PENDING",
                "rescued DEAD",
                "dead DEAD in attempt 3",
                "rescued CANCELLED",
                "cancelled after 3 attempts");
    }

    @Test
    void areNotHarmedByOneAnother() {
        JobListener broken = new JobListener() {
            @Override
            public void started(JobEvent.Started run) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void completed(JobEvent.Ended run) {
                throw new StackOverflowError("on purpose");
            }
        };
        listeners.start(List.of(broken, recorder));
        for (int i = 0; i < 100; i++) {
            events.started(started());
        }
        events.ended(ended(JobEnding.COMPLETED));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(recorder.calls).hasSize(102).last().isEqualTo("completed COMPLETED in attempt 1"));
        assertThat(lines.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains(broken.getClass().getName(), "'Started'", "'mail'");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void holdNobodyUp() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        listeners.start(List.of(
                new JobListener() {
                    @Override
                    public void started(JobEvent.Started run) {
                        waiting.countDown();
                        try {
                            go.await();
                        } catch (InterruptedException ex) {
                            throw new IllegalStateException(ex);
                        }
                    }
                },
                recorder));
        events.started(started());
        waiting.await();
        for (int i = 0; i < JobListeners.CAPACITY + 5; i++) {
            events.started(started());
        }
        events.published(List.of(), 7);
        assertThat(dropped).hasValue(5 + 7);

        go.countDown();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(recorder.calls).hasSize(JobListeners.CAPACITY + 1));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(lines.list)
                        .extracting(ILoggingEvent::getFormattedMessage)
                        .anyMatch(line -> line.startsWith("12 events were dropped")));
    }

    @Test
    void hearWhatHappenedBeforeTheyCame() {
        events.started(started());
        listeners.start(List.of(recorder));
        awaitCalls("started");
    }

    @Test
    void hearWhatHappenedBeforeTheStopAndNothingAfterIt() throws InterruptedException {
        listeners.start(List.of(recorder));
        for (int i = 0; i < 1_000; i++) {
            events.started(started());
        }
        listeners.stop();
        events.started(started());
        assertThat(recorder.calls).hasSize(1_000);
        assertThat(events.followsJobs()).isFalse();

        listeners.start(List.of(recorder));
        events.started(started());
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(recorder.calls).hasSize(1_001));
    }

    @Test
    void costNothingIfThereAreNone() {
        listeners.start(List.of());
        events.started(started());
        events.ended(ended(JobEnding.COMPLETED));
        assertThat(events.followsJobs()).isFalse();
        assertThat(listeners.isRunning()).isFalse();
        assertThat(dropped).hasValue(0);
    }

    private static final class Recorder implements JobListener {

        private final List<String> calls = new CopyOnWriteArrayList<>();

        private void add(String method, JobEvent.Ended run) {
            calls.add("%s %s in attempt %d".formatted(method, run.ending(), run.attempt()));
        }

        @Override
        public void started(JobEvent.Started run) {
            calls.add("started");
        }

        @Override
        public void ended(JobEvent.Ended run) {
            calls.add("ended " + run.ending());
        }

        @Override
        public void completed(JobEvent.Ended run) {
            add("completed", run);
        }

        @Override
        public void attemptFailed(JobEvent.Ended run) {
            add("attemptFailed", run);
        }

        @Override
        public void dead(JobEvent.Ended run) {
            add("dead", run);
        }

        @Override
        public void cancelled(JobEvent.Cancelled job) {
            calls.add("cancelled after " + job.attempts() + " attempts");
        }

        @Override
        public void rescued(JobEvent.Rescued job) {
            calls.add("rescued " + job.state());
        }
    }
}
