package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExitInHandlerIntegrationTests {

    private final TestDatabase database = TestDatabase.create();
    private final JobRows rows = new JobRows(database);

    @Test
    void endsTheJobAfterAFewNodes() throws IOException, InterruptedException {
        UUID id;
        try (Node publisher = Node.start(database, ExitingNode.class, "queue.worker.enabled=false")) {
            id = publisher.publisher().publish(Job.of("exit", null).maxAttempts(1));
        }
        // as if three nodes had ended already
        rows.jdbc().sql("UPDATE queue.job SET spared = 3").update();
        Process exiting = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ExitingNode.class.getName(),
                        database.jdbcUrl(),
                        database.username(),
                        database.password())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(exiting.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(exiting.exitValue()).isEqualTo(ExitingNode.CODE);

        assertThat(rows.state(id)).hasValue(JobState.DEAD);
        assertThat(rows.jdbc()
                        .sql("SELECT reason FROM queue.dead_letter")
                        .query(String.class)
                        .single())
                .isEqualTo("it was running when its worker stopped, 4 times");
    }

    static final class ExitingNode {

        static final int CODE = 43;

        private static final CountDownLatch hooked = new CountDownLatch(1);

        @JobHandler("exit")
        void exit() throws InterruptedException {
            hooked.await();
            System.exit(CODE);
        }

        public static void main(String[] arguments) throws InterruptedException {
            Node node = Node.start(
                    new TestDatabase(arguments[0], arguments[1], arguments[2]),
                    ExitingNode.class,
                    "queue.worker.shutdown-grace=100ms");
            node.context().registerShutdownHook();
            hooked.countDown();
            Thread.currentThread().join();
        }
    }
}
