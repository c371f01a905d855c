package dev.jobqueue.survival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

class PoisonIntegrationTests {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int UNKNOWN = 100_000;

    private final TestDatabase database = TestDatabase.create();

    @Test
    void aJobThatKillsItsJvmIsDeadWhenItsAttemptsAre() throws InterruptedException {
        try (HostileNode publisher = HostileNode.start(database, "--queue.worker.enabled=false")) {
            UUID poison = publisher.publisher().publish(Job.of("poison", null).maxAttempts(2));
            int jvms = 0;
            while (publisher.find(poison).state() != JobState.DEAD) {
                Process jvm = PoisonedNode.start(database);
                // either the poison kills it, or it buries what the one before left
                await().atMost(PATIENCE)
                        .until(() -> !jvm.isAlive() || publisher.find(poison).state() == JobState.DEAD);
                jvm.destroyForcibly().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                jvms++;
            }

            // up to three may end before a beat of theirs tells that the job has begun
            assertThat(jvms).isBetween(3, 6);
            assertThat(publisher.find(poison).attempt()).isEqualTo(2);
            assertThat(publisher.find(poison).errors()).hasSize(2);
        }
    }

    @Test
    void goodJobsFlowPastAHundredThousandOfAnUnknownType() {
        try (HostileNode node = HostileNode.start(database)) {
            Job unknown = Job.of("nobody.knows", Map.of()).priority(1);
            for (int i = 0; i < UNKNOWN / 1_000; i++) {
                node.publisher().publishAll(Collections.nCopies(1_000, unknown));
            }

            for (int i = 0; i < 20; i++) {
                node.await(JobState.COMPLETED, node.publisher().publish("echo", Map.of("number", i)));
            }
        }
    }

    /** A node in a process of its own, which one of its jobs ends. */
    @EnableAutoConfiguration
    @Import(PoisonedNode.Poison.class)
    static class PoisonedNode {

        public static void main(String[] arguments) throws IOException {
            SpringApplication.run(PoisonedNode.class, arguments);
            // ends with whoever started it
            System.in.transferTo(OutputStream.nullOutputStream());
            Runtime.getRuntime().halt(0);
        }

        static Process start(TestDatabase database) {
            try {
                return new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                PoisonedNode.class.getName(),
                                "--queue.worker.heartbeat-interval=500ms",
                                "--queue.worker.ttl=2s",
                                "--spring.datasource.url=" + database.jdbcUrl(),
                                "--spring.datasource.username=" + database.username(),
                                "--spring.datasource.password=" + database.password())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }

        static class Poison {

            @JobHandler("poison")
            void kill(JobContext job) {
                Runtime.getRuntime().halt(job.attempt());
            }
        }
    }
}
