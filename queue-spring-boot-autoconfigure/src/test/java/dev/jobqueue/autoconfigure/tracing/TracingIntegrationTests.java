package dev.jobqueue.autoconfigure.tracing;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.MigratedDatabase;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class TracingIntegrationTests {

    private final TestDatabase database = MigratedDatabase.create();

    private final ApplicationContextRunner traced = ObservedApplication.on(database)
            .withConfiguration(AutoConfigurations.of(
                    ObservationAutoConfiguration.class,
                    MicrometerTracingAutoConfiguration.class,
                    OpenTelemetrySdkAutoConfiguration.class,
                    OpenTelemetryTracingAutoConfiguration.class))
            .withPropertyValues("management.tracing.sampling.probability=1.0");

    private volatile ApplicationContext working;

    /** What a handler saw. */
    record Seen(String traceId, Map<String, String> headers, Map<String, String> mdc) {}

    private ApplicationContextRunner worker(CompletableFuture<Seen> seen) {
        return traced.withBean(
                HandlerDefinition.class,
                () -> HandlerDefinition.of("traced", Map.class, (payload, job) -> {
                    seen.complete(look(job));
                    return null;
                }));
    }

    private Seen look(JobContext job) {
        ApplicationContext context = working;
        return new Seen(
                context == null ? "" : traceId(context),
                job.headers(),
                Objects.requireNonNullElse(MDC.getCopyOfContextMap(), Map.of()));
    }

    private static String traceId(ApplicationContext context) {
        var span = context.getBean(Tracer.class).currentSpan();
        return span == null ? "" : span.context().traceId();
    }

    @Test
    void leadsFromTheRequestOverThePublisherToTheHandlerOnAnotherNode() {
        CompletableFuture<Seen> seen = new CompletableFuture<>();
        traced.withPropertyValues("queue.worker.enabled=false")
                .run(publisher -> worker(seen).run(node -> {
                    working = node;
                    String[] trace = new String[1];
                    Observation.createNotStarted("http.request", publisher.getBean(ObservationRegistry.class))
                            .observe(() -> {
                                trace[0] = traceId(publisher);
                                publisher
                                        .getBean(JobPublisher.class)
                                        .publishAll(List.of(
                                                Job.of("traced", Map.of()).header("tenant", "t1")));
                            });
                    Seen result = seen.get(30, TimeUnit.SECONDS);
                    assertThat(trace[0]).hasSize(32);
                    assertThat(result.traceId()).isEqualTo(trace[0]);
                    assertThat(result.headers().get("traceparent")).startsWith("00-" + trace[0] + "-");
                    assertThat(result.headers()).containsEntry("tenant", "t1");
                }));
    }

    @Test
    void namesTheJobInEveryLogLineOfItsHandler() {
        CompletableFuture<Seen> seen = new CompletableFuture<>();
        worker(seen).run(node -> {
            UUID id = node.getBean(JobPublisher.class).publish(Job.of("traced", Map.of()));
            assertThat(seen.get(30, TimeUnit.SECONDS).mdc())
                    .containsEntry("jobId", id.toString())
                    .containsEntry("jobType", "traced")
                    .containsEntry("jobQueue", "default")
                    .containsEntry("jobAttempt", "1");
        });
    }

    @Test
    void observesErrorsOfHandlersWithoutHidingThem() {
        CompletableFuture<Observation.Context> stopped = new CompletableFuture<>();
        traced.withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("broken", Map.class, (payload, job) -> {
                            throw new IOException("checked");
                        }))
                .withBean(ObservationHandler.class, () -> new Recorder(stopped))
                .run(node -> {
                    UUID id = node.getBean(JobPublisher.class).publish(Job.of("broken", Map.of()));
                    Observation.Context context = stopped.get(30, TimeUnit.SECONDS);
                    assertThat(context.getError()).hasMessage("checked");
                    assertThat(context.getLowCardinalityKeyValue("type").getValue())
                            .isEqualTo("broken");
                    assertThat(context.getHighCardinalityKeyValue("job.id").getValue())
                            .isEqualTo(id.toString());
                    await().untilAsserted(() -> assertThat(
                                    node.getBean(JobOperations.class).find(id))
                            .hasValueSatisfying(job -> assertThat(job.errors())
                                    .singleElement()
                                    .satisfies(error ->
                                            assertThat(error.error()).startsWith("java.io.IOException: checked"))));
                });
    }

    private record Recorder(CompletableFuture<Observation.Context> stopped)
            implements ObservationHandler<Observation.Context> {

        @Override
        public void onStop(Observation.Context context) {
            if ("queue.handle".equals(context.getName())) {
                stopped.complete(context);
            }
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}
