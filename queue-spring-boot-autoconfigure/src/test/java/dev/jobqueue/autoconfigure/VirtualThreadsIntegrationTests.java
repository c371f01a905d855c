package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsIntegrationTests {

    private final TestDatabase database = TestDatabase.create();
    private final JobRows rows = new JobRows(database);
    private final ApplicationContextRunner application = QueueApplication.on(database)
            .withPropertyValues("spring.threads.virtual.enabled=true")
            .withBean(Work.class);

    @Test
    void runsHandlersOnThem() {
        application.run(context -> {
            List<UUID> ids = context.getBean(JobPublisher.class)
                    .publishAll(IntStream.range(0, 200)
                            .mapToObj(i -> Job.of("name", null))
                            .toList());
            rows.await(JobState.COMPLETED, ids.toArray(UUID[]::new));
            assertThat(context.getBean(Work.class).thread.get()).startsWith("VirtualThread[");
        });
    }

    @Test
    void settlesATimeoutWhoseInterruptCutTheConnectionOfTheHandler() {
        application.run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            UUID stuck = jobs.publish(
                    Job.of("query", null).timeout(Duration.ofMillis(300)).maxAttempts(1));
            rows.await(JobState.DEAD, stuck);
            rows.await(JobState.COMPLETED, jobs.publish("name", null));
        });
    }

    static class Work {

        private final AtomicReference<String> thread = new AtomicReference<>("");
        private final JdbcClient jdbc;

        Work(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler("name")
        void name() {
            thread.set(Thread.currentThread().toString());
        }

        @JobHandler("query")
        void query(JobContext job) {
            jdbc.sql("SELECT pg_sleep(20)").query().listOfRows();
        }
    }
}
