package dev.jobqueue.autoconfigure.health;

import static dev.jobqueue.autoconfigure.health.HealthProbe.detail;
import static dev.jobqueue.autoconfigure.health.HealthProbe.health;
import static dev.jobqueue.autoconfigure.health.HealthProbe.problems;
import static dev.jobqueue.autoconfigure.health.HealthProbe.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.autoconfigure.MigratedDatabase;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

class LimitHealthIntegrationTests {

    private final TestDatabase database = MigratedDatabase.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final ApplicationContextRunner publisher = ObservedApplication.on(database)
            .withPropertyValues(
                    "queue.health.timeout=30s",
                    "queue.worker.enabled=false",
                    "queue.health.pending-warning=2",
                    "queue.health.pending-critical=3");

    private void claim() {
        jdbc.sql("SELECT id FROM queue.claim('018f0000-0000-7000-8000-000000000026', '{default}', '{100}')")
                .query()
                .listOfRows();
    }

    @Test
    void jobsThatWaitForALimitAreNoTrouble() {
        publisher.run(context -> {
            context.getBean(JobOperations.class).limits().set(LimitDefinition.ofRunning("crm", 1));
            for (int i = 0; i < 5; i++) {
                context.getBean(JobPublisher.class)
                        .publish(Job.of("t", Map.of()).limit("crm", ""));
            }
            jdbc.sql("SELECT queue.heartbeat('018f0000-0000-7000-8000-000000000026')")
                    .query()
                    .listOfRows();
            claim();

            Health health = health(context);
            assertThat(problems(health)).isEqualTo("[]");
            assertThat(state(health)).isEqualTo(Level.OK);
            assertThat(detail(health, "queues", "default", "waiting")).isEqualTo(4L);
            assertThat(detail(health, "queues", "default", "pending")).isEqualTo(0L);
        });
    }

    @Test
    void aLaneBehindADeadLetterIsAWarning() {
        publisher.withPropertyValues("queue.health.dead-warning=9").run(context -> {
            JobLimits limits = context.getBean(JobOperations.class).limits();
            limits.set(LimitDefinition.ofFifo("order"));
            UUID dead = context.getBean(JobPublisher.class)
                    .publish(Job.of("t", Map.of()).limit("order", "a"));
            claim();
            jdbc.sql("SELECT queue.fail(j.id, j.lease, 'no', false) FROM queue.live_job j WHERE j.id = ?")
                    .param(dead)
                    .query()
                    .singleRow();

            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(state(health)).isEqualTo(Level.WARNING);
            assertThat(problems(health)).contains("Limit 'order' has 1 FIFO lane behind a dead letter");
            assertThat(detail(health, "blockedLanes", "order")).isEqualTo(1L);

            limits.releaseLane("order", "a");
            assertThat(problems(health(context))).doesNotContain("FIFO lane");
        });
    }
}
