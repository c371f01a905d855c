package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.EmbeddedServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ServerRestartIntegrationTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final EmbeddedServer server = EmbeddedServer.start();

    private final ApplicationContextRunner application = QueueApplication.with(
                    server.jdbcUrl("postgres"), server.username(), "")
            .withPropertyValues("spring.datasource.hikari.connection-timeout=5000")
            .withBean(Work.class);

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void goesOnByItselfAndDeliversWhatFinishedMeanwhile() {
        application.run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            JobOperations operations = context.getBean(JobOperations.class);
            Work work = context.getBean(Work.class);
            List<UUID> backlog = jobs.publishAll(
                    IntStream.range(0, 300).mapToObj(i -> Job.of("short", null)).toList());
            UUID running = jobs.publish("long", null);
            assertThat(work.begun.await(30, TimeUnit.SECONDS)).isTrue();

            Thread restart = new Thread(server::restart);
            restart.start();
            work.finish.countDown();
            restart.join();

            await().ignoreExceptions().atMost(PATIENCE).until(() -> state(operations, running) == JobState.COMPLETED);
            assertThat(operations.find(running).orElseThrow().attempt()).isEqualTo(1);
            await().ignoreExceptions()
                    .atMost(PATIENCE)
                    .until(() -> backlog.stream().allMatch(id -> state(operations, id) == JobState.COMPLETED));
            UUID after = jobs.publish("short", null);
            await().ignoreExceptions().atMost(PATIENCE).until(() -> state(operations, after) == JobState.COMPLETED);
        });
    }

    private static JobState state(JobOperations operations, UUID id) {
        return operations.find(id).orElseThrow().state();
    }

    static class Work {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch finish = new CountDownLatch(1);

        @JobHandler("short")
        void brief() throws InterruptedException {
            Thread.sleep(5);
        }

        @JobHandler("long")
        String slow() throws InterruptedException {
            begun.countDown();
            finish.await();
            return "done while the database was away";
        }
    }
}
