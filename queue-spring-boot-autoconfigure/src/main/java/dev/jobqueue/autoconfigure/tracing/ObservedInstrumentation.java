package dev.jobqueue.autoconfigure.tracing;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.internal.Instrumentation;
import dev.jobqueue.internal.handle.HandlerRegistry;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Observes publishing as {@code queue.publish} and handling as {@code queue.handle}. With tracing, the context of the one
 * travels in the headers of the job to the other, in whatever format the application propagates (W3C by default).
 */
final class ObservedInstrumentation implements Instrumentation {

    private static final String SEVERAL = "several";

    private final ObservationRegistry registry;
    private final HandlerRegistry handlers;

    ObservedInstrumentation(ObservationRegistry registry, HandlerRegistry handlers) {
        this.registry = registry;
        this.handlers = handlers;
    }

    @Override
    public List<UUID> publishing(List<Job> jobs, Function<List<Job>, List<UUID>> publish) {
        if (registry.isNoop()) {
            return publish.apply(jobs);
        }
        Map<String, String> headers = new LinkedHashMap<>();
        SenderContext<Map<String, String>> context = new SenderContext<>(
                (carrier, name, value) -> Objects.requireNonNull(carrier).put(name, value), Kind.PRODUCER);
        context.setCarrier(headers);
        String type = common(jobs, this::type);
        Observation observation = Observation.createNotStarted("queue.publish", () -> context, registry)
                .contextualName("publish " + type)
                .lowCardinalityKeyValues(KeyValues.of("type", type, "queue", common(jobs, this::queue)));
        return Objects.requireNonNull(observation.observe(
                () -> publish.apply(jobs.stream().map(job -> with(headers, job)).toList())));
    }

    @Override
    public @Nullable Object handling(JobContext job, Callable<@Nullable Object> handler) throws Exception {
        if (registry.isNoop()) {
            return handler.call();
        }
        ReceiverContext<Map<String, String>> context =
                new ReceiverContext<>((carrier, name) -> carrier.get(name), Kind.CONSUMER);
        context.setCarrier(job.headers());
        Observation observation = Observation.createNotStarted("queue.handle", () -> context, registry)
                .contextualName("handle " + job.type())
                .lowCardinalityKeyValues(KeyValues.of("type", job.type(), "queue", job.queue()))
                .highCardinalityKeyValues(
                        KeyValues.of("job.id", job.id().toString(), "job.attempt", String.valueOf(job.attempt())));
        return observation.observeChecked(handler::call);
    }

    private static Job with(Map<String, String> headers, Job job) {
        Job changed = job;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            changed = changed.header(header.getKey(), header.getValue());
        }
        return changed;
    }

    private static String common(List<Job> jobs, Function<Job, String> value) {
        String first = value.apply(jobs.get(0));
        return jobs.stream().allMatch(job -> value.apply(job).equals(first)) ? first : SEVERAL;
    }

    private String type(Job job) {
        Object payload = job.payload();
        String type = job.type();
        return type != null ? type : payload == null ? "unknown" : handlers.typeOf(payload);
    }

    private String queue(Job job) {
        String queue = job.queue() != null ? job.queue() : handlers.queueOf(type(job), job.payload());
        return queue != null ? queue : "default";
    }
}
