package dev.jobqueue.autoconfigure.metrics;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.postgres.TestDatabase;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the meters tell of batches and flows. */
class FlowMetersIntegrationTests {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private Timer finished(String name, String state) {
        return registry.find("queue.flows.finished")
                .tags("name", name, "state", state)
                .timer();
    }

    @Test
    void countThoseThatRunAndTimeThoseThatFinish() {
        ObservedApplication.on(TestDatabase.create())
                .withBean(MeterRegistry.class, () -> registry)
                .withBean(Handlers.class)
                .withPropertyValues("queue.metrics.refresh=100ms")
                .run(context -> {
                    JobPublisher jobs = context.getBean(JobPublisher.class);
                    jobs.publish(Batch.of("waiting").add(Job.of("nobody", null)));
                    jobs.publish(Batch.of("mails").add(Job.of("mail", true)));
                    jobs.publish(Flow.of("order").step("mail", Job.of("mail", false)));
                    await().untilAsserted(() -> {
                        Gauge running = registry.find("queue.flows.running")
                                .tags("kind", "batch", "name", "waiting")
                                .gauge();
                        assertThat(running).isNotNull();
                        assertThat(running.value()).isEqualTo(1);
                        assertThat(finished("mails", "succeeded")).isNotNull();
                        assertThat(finished("order", "failed")).isNotNull();
                    });
                    assertThat(finished("order", "failed").count()).isEqualTo(1);
                });
    }

    @Test
    void shareOneMeterWhereThereAreVeryManyNames() {
        FlowMeters meters = new FlowMeters(registry);
        for (int i = 0; i < 1_000; i++) {
            meters.finished(FlowKind.FLOW, "flow" + i, FlowState.SUCCEEDED, Duration.ofSeconds(1));
        }
        assertThat(registry.find("queue.flows.finished").timers()).hasSize(FlowMeters.MOST_NAMES + 1);
        assertThat(finished("others", "succeeded").count()).isEqualTo(1_000 - FlowMeters.MOST_NAMES);
    }

    static class Handlers {

        @JobHandler(value = "mail", maxAttempts = 1)
        void mail(boolean works) {
            if (!works) {
                throw new IllegalStateException("no");
            }
        }
    }
}
