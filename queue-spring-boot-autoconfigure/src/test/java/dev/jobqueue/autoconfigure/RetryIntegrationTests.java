package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RetryIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;

    @BeforeAll
    static void start() {
        node = Node.start(
                database,
                Handlers.class,
                "queue.retry[by.property].max-attempts=3",
                "queue.retry[by.property].backoff=1ms",
                "queue.retry[by.property].timeout=1h",
                "queue.retry[elsewhere].max-attempts=7",
                "queue.retry[elsewhere].backoff=2h");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static UUID publish(String type) {
        return node.publisher().publish(type, null);
    }

    private static Map<String, Object> policy(String type) {
        return rows.jdbc()
                .sql("SELECT max_attempts, extract(epoch FROM base)::float8 AS base, factor,"
                        + " extract(epoch FROM maximum)::float8 AS maximum, extract(epoch FROM timeout)::float8 AS"
                        + " timeout"
                        + " FROM queue.retry_policy WHERE type = ?")
                .param(type)
                .query()
                .singleRow();
    }

    @Nested
    class ThePolicy {

        @Test
        void ofTheAnnotationIsObeyed() {
            UUID id = publish("by.annotation");
            rows.await(JobState.DEAD, id);
            assertThat(rows.attempt(id)).isEqualTo(2);
            assertThat(rows.errors(id)).hasSize(2);
        }

        @Test
        void ofThePropertiesWinsOverTheAnnotation() {
            UUID id = publish("by.property");
            rows.await(JobState.DEAD, id);
            assertThat(rows.attempt(id)).isEqualTo(3);
        }

        @Test
        void isStoredForWorkersInOtherLanguages() {
            assertThat(policy("by.annotation"))
                    .containsEntry("max_attempts", 2)
                    .containsEntry("base", 0.001)
                    .containsEntry("factor", 3.0)
                    .containsEntry("maximum", 0.05)
                    .containsEntry("timeout", 600.0);
            assertThat(policy("by.property"))
                    .containsEntry("max_attempts", 3)
                    .containsEntry("base", 0.001)
                    .containsEntry("factor", 5.0)
                    .containsEntry("timeout", 3600.0);
        }

        @Test
        void ofATypeThatOthersHandleIsStoredToo() {
            assertThat(policy("elsewhere")).containsEntry("max_attempts", 7).containsEntry("base", 7200.0);
        }

        @Test
        void isOverriddenByTheJob() {
            UUID id = node.publisher().publish(Job.of("by.annotation", null).maxAttempts(1));
            rows.await(JobState.DEAD, id);
            assertThat(rows.attempt(id)).isEqualTo(1);
        }

        @Test
        void waitsBeforeTheNextAttempt() {
            UUID id = publish("patient");
            rows.await(JobState.SCHEDULED, id);
            assertThat(rows.live(id, "run_at > clock_timestamp() + interval '30 seconds'", Boolean.class))
                    .hasValue(true);
            assertThat(rows.attempt(id)).isEqualTo(1);
        }

        @Test
        void endsWithTheFirstAttemptThatSucceeds() {
            assertThat(rows.result(publish("third.time"))).isEqualTo("\"attempt 3 of 5\"");
        }
    }

    @Nested
    class TheDeadLetter {

        @Test
        void getsAPermanentFailureAtOnce() {
            UUID id = publish("permanent");
            rows.await(JobState.DEAD, id);
            assertThat(rows.attempt(id)).isEqualTo(1);
            assertThat(rows.errors(id))
                    .singleElement()
                    .asString()
                    .startsWith(PermanentJobException.class.getName() + ": no such customer");
        }

        @Test
        void getsAPayloadThatCannotBeRead() {
            UUID id = node.publisher().publish("typed", Map.of("number", "many"));
            rows.await(JobState.DEAD, id);
            assertThat(rows.attempt(id)).isEqualTo(1);
            assertThat(rows.errors(id)).singleElement().asString().contains("cannot be read as", "Typed");
            UUID empty = node.publisher().publish("typed", "text");
            rows.await(JobState.DEAD, empty);
        }
    }

    @Nested
    class AnError {

        @Test
        void hasTypeMessageCauseAndATrimmedStack() {
            UUID id = publish("deep");
            rows.await(JobState.DEAD, id);
            String error = rows.errors(id).get(0);
            assertThat(error)
                    .startsWith(IOException.class.getName() + ": disk is full\n\tat ")
                    .contains(Handlers.class.getName())
                    .contains("\nCaused by: " + IllegalStateException.class.getName() + ": the reason")
                    .contains(" more");
            assertThat(error.lines().count()).isLessThan(60);
        }

        @Test
        void ofTheVirtualMachineIsRetriedToo() {
            UUID id = publish("stack.overflow");
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id))
                    .hasSize(2)
                    .allSatisfy(error -> assertThat(error).startsWith(StackOverflowError.class.getName()));
        }

        @Test
        void ofAnInterruptedHandlerIsRetriedToo() {
            UUID id = publish("interrupted");
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id))
                    .hasSize(2)
                    .allSatisfy(error -> assertThat(error).startsWith(InterruptedException.class.getName()));
            assertThat(rows.result(publish("fine"))).as("the thread is clean").isEqualTo("\"not interrupted\"");
        }

        @Test
        void mayHaveAMessageThatNoDatabaseTakes() {
            UUID id = publish("nul");
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id).get(0)).contains("a b");
        }

        @Test
        void mayThrowItselfWhenItIsDescribed() {
            UUID id = publish("broken.exception");
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id).get(0)).contains(BrokenException.class.getName());
        }
    }

    record Typed(int number) {}

    static class BrokenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException("no message");
        }
    }

    static class Handlers {

        @JobHandler(
                value = "by.annotation",
                maxAttempts = 2,
                backoff = "1ms",
                backoffFactor = 3,
                maxBackoff = "50ms",
                timeout = "10m")
        void byAnnotation() {
            throw new IllegalStateException("annotated");
        }

        @JobHandler(value = "by.property", maxAttempts = 9, backoff = "1h", backoffFactor = 5, timeout = "10m")
        void byProperty() {
            throw new IllegalStateException("configured");
        }

        @JobHandler(value = "patient", maxAttempts = 2)
        void patient() {
            throw new IllegalStateException("later");
        }

        @JobHandler(value = "third.time", maxAttempts = 5, backoff = "1ms")
        String thirdTime(JobContext job) {
            if (job.attempt() < 3) {
                throw new IllegalStateException("not yet");
            }
            return "attempt " + job.attempt() + " of " + job.maxAttempts();
        }

        @JobHandler("permanent")
        void permanent() {
            throw new PermanentJobException("no such customer");
        }

        @JobHandler("typed")
        void typed(Typed typed) {}

        @JobHandler(value = "deep", maxAttempts = 1)
        void deep() throws IOException {
            descend(100);
        }

        private void descend(int depth) throws IOException {
            if (depth > 0) {
                descend(depth - 1);
            } else {
                throw new IOException("disk is full", new IllegalStateException("the reason"));
            }
        }

        @JobHandler(value = "stack.overflow", maxAttempts = 2, backoff = "1ms")
        void overflow() {
            throw new StackOverflowError("too deep");
        }

        @JobHandler(value = "interrupted", maxAttempts = 2, backoff = "1ms")
        void interrupted() throws InterruptedException {
            Thread.currentThread().interrupt();
            Thread.sleep(1_000);
        }

        @JobHandler("fine")
        String fine() {
            return Thread.currentThread().isInterrupted() ? "interrupted" : "not interrupted";
        }

        @JobHandler(value = "nul", maxAttempts = 1)
        void nul() {
            throw new IllegalStateException("a\0b");
        }

        @JobHandler(value = "broken.exception", maxAttempts = 1)
        void broken() {
            throw new BrokenException();
        }
    }
}
