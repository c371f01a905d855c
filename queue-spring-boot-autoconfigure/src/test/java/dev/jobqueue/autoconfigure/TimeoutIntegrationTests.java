package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class TimeoutIntegrationTests {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static Handlers handlers;

    @BeforeAll
    static void start() {
        node = Node.start(database, Handlers.class, "queue.queues.single.slots=1", "queue.queues.crowded.slots=1");
        handlers = node.bean(Handlers.class);
    }

    @AfterAll
    static void stop() {
        handlers.gate.countDown();
        node.close();
    }

    @Test
    void interruptsTheHandlerAndIsRecorded() {
        for (int i = 0; i < 5; i++) {
            UUID id = node.publisher()
                    .publish(Job.of("sleepy", null).timeout(SHORT).maxAttempts(1));
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id)).singleElement().asString().startsWith("The attempt timed out");
        }
    }

    @Test
    void ofTheHandlerHoldsForJobsThatNameNone() {
        UUID id = node.publisher().publish(Job.of("sleepy.annotated", null).maxAttempts(1));
        rows.await(JobState.DEAD, id);
        assertThat(rows.errors(id).get(0)).contains("timed out");
    }

    @Test
    void freesTheSlotAndFencesAHandlerThatIgnoresTheInterrupt(CapturedOutput output) throws Exception {
        UUID deaf = node.publisher()
                .publish(Job.of("deaf", null).queue("single").timeout(SHORT).maxAttempts(1));
        UUID next = node.publisher().publish(Job.of("quick", null).queue("single"));
        rows.await(JobState.DEAD, deaf).await(JobState.COMPLETED, next);
        await().untilAsserted(() -> assertThat(output).contains("ignores the interrupt", "'deaf'", deaf.toString()));

        handlers.gate.countDown();
        await().untilAsserted(() -> assertThat(handlers.refused).hasSize(5));
        assertThat(handlers.refused).allMatch(LeaseLostException.class::isInstance);
        assertThat(rows.count(JobState.PENDING, "late.child")).isZero();
        assertThat(rows.state(deaf)).hasValue(JobState.DEAD);
        UUID last = node.publisher().publish(Job.of("quick", null).queue("single"));
        rows.await(JobState.COMPLETED, last);
        assertThat(rows.jdbc()
                        .sql("SELECT count(*) FROM queue.job_event WHERE job_id = ?")
                        .param(deaf)
                        .query(Long.class)
                        .single())
                .isZero();
    }

    static class Handlers {

        final CountDownLatch gate = new CountDownLatch(1);
        final List<Exception> refused = new CopyOnWriteArrayList<>();

        @JobHandler("sleepy")
        void sleepy() throws InterruptedException {
            Thread.sleep(60_000);
        }

        @JobHandler(value = "sleepy.annotated", timeout = "300ms")
        void annotated() throws InterruptedException {
            Thread.sleep(60_000);
        }

        @JobHandler("quick")
        void quick() {}

        @JobHandler("deaf")
        void deaf(JobContext job) {
            boolean open = false;
            while (!open) {
                try {
                    gate.await();
                    open = true;
                } catch (InterruptedException ex) {
                    // deaf
                }
            }
            refusal(() -> {
                job.progress(99, "late");
                return null;
            });
            refusal(() -> {
                job.log("late");
                return null;
            });
            refusal(() -> job.step("late", String.class, () -> "late"));
            refusal(() -> {
                job.extend(Duration.ofHours(1));
                return null;
            });
            refusal(() -> job.publish(Job.of("late.child", null)));
        }

        private void refusal(Callable<?> call) {
            try {
                call.call();
            } catch (Exception ex) {
                refused.add(ex);
            }
        }
    }
}
