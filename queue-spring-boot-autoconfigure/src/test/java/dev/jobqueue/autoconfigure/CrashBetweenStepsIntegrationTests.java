package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CrashBetweenStepsIntegrationTests {

    private static final String[] QUICK_BEATS = {"queue.worker.heartbeat-interval=200ms", "queue.worker.ttl=4s"};

    private final TestDatabase database = TestDatabase.create();
    private final JobRows rows = new JobRows(database);

    @Test
    void goesOnAfterTheLastFinishedStepOfAJvmThatIsGone() throws IOException, InterruptedException {
        UUID id;
        try (Node publisher = Node.start(database, TwoSteps.class, "queue.worker.enabled=false")) {
            id = publisher.publisher().publish("two-steps", null);
        }
        Process crashing = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashingNode.class.getName(),
                        database.jdbcUrl(),
                        database.username(),
                        database.password())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(crashing.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(crashing.exitValue()).isEqualTo(CrashingNode.HALTED);

        try (Node node = Node.start(database, TwoSteps.class, QUICK_BEATS)) {
            rows.await(JobState.COMPLETED, id);
            assertThat(node.bean(TwoSteps.class).firstSteps).hasValue(0);
            assertThat(node.bean(TwoSteps.class).secondSteps).hasValue(1);
            // the first one counts if a beat had told of it
            assertThat(rows.attempt(id)).isBetween(1, 2);
        }
    }

    static class TwoSteps {

        private final AtomicInteger firstSteps = new AtomicInteger();
        private final AtomicInteger secondSteps = new AtomicInteger();

        @JobHandler("two-steps")
        int handle(JobContext job) throws Exception {
            int first = job.step("first", Integer.class, firstSteps::incrementAndGet);
            return job.step("second", Integer.class, () -> first + second());
        }

        int second() {
            return secondSteps.incrementAndGet();
        }
    }

    /** Ends the JVM between the two steps, as a killed process ends: no shutdown hook, nothing given back. */
    static final class CrashingNode extends TwoSteps {

        static final int HALTED = 42;

        @Override
        int second() {
            Runtime.getRuntime().halt(HALTED);
            return 0;
        }

        public static void main(String[] arguments) throws InterruptedException {
            Node.start(new TestDatabase(arguments[0], arguments[1], arguments[2]), CrashingNode.class);
            Thread.currentThread().join();
        }
    }
}
