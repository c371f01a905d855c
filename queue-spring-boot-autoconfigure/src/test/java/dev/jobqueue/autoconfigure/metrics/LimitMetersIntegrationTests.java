package dev.jobqueue.autoconfigure.metrics;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class LimitMetersIntegrationTests {

    private final TestDatabase database = TestDatabase.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final MeterRegistry registry = new SimpleMeterRegistry();

    private double gauge(String name, String limit) {
        Gauge gauge = registry.find(name).tag("limit", limit).gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    @Test
    void tellHowLimitsAreUsed() {
        ObservedApplication.on(database)
                .withBean(MeterRegistry.class, () -> registry)
                .withPropertyValues("queue.metrics.refresh=100ms", "queue.worker.enabled=false")
                .run(context -> {
                    JobLimits limits = context.getBean(JobOperations.class).limits();
                    JobPublisher jobs = context.getBean(JobPublisher.class);
                    limits.set(LimitDefinition.ofFifo("order"));
                    limits.set(LimitDefinition.ofRunning("crm", 2));
                    UUID dead = jobs.publish(Job.of("t", Map.of()).limit("order", "a"));
                    jobs.publish(Job.of("t", Map.of()).limit("order", "a"));
                    for (int i = 0; i < 5; i++) {
                        jobs.publish(Job.of("t", Map.of()).limit("crm", "same"));
                    }
                    jdbc.sql("SELECT id FROM queue.claim(gen_random_uuid(), '{default}', '{100}')")
                            .query()
                            .listOfRows();
                    jdbc.sql("SELECT queue.fail(j.id, j.lease, 'no', false) FROM queue.live_job j WHERE j.id = ?")
                            .param(dead)
                            .query()
                            .singleRow();

                    await().untilAsserted(() -> {
                        assertThat(gauge("queue.limit.running", "crm")).isEqualTo(2);
                        assertThat(gauge("queue.limit.waiting", "crm")).isEqualTo(3);
                        assertThat(gauge("queue.limit.blocked", "crm")).isZero();
                        assertThat(gauge("queue.limit.waiting", "order")).isEqualTo(1);
                        assertThat(gauge("queue.limit.blocked", "order")).isEqualTo(1);
                        assertThat(registry.get("queue.jobs")
                                        .tags("queue", "default", "state", "waiting")
                                        .gauge()
                                        .value())
                                .isEqualTo(4);
                    });
                    limits.remove("crm");
                    await().untilAsserted(() ->
                            assertThat(gauge("queue.limit.running", "crm")).isNaN());
                });
    }
}
