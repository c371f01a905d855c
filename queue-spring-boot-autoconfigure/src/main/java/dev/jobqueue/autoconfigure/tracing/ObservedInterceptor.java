package dev.jobqueue.autoconfigure.tracing;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.spi.JobInterceptor;
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
 * Observes publishing as {@code queue.publish} and handling as {@code queue.handle}. With tracing, the context of the
 * one travels in the headers of the job to the other, in whatever format the application propagates (W3C by default).
 */
final class ObservedInterceptor implements JobInterceptor {

    private static final String SEVERAL = "several";

    private final ObservationRegistry registry;
    private final HandlerRegistry handlers;

    ObservedInterceptor(ObservationRegistry registry, HandlerRegistry handlers) {
        this.registry = registry;
        this.handlers = handlers;
    }

    @Override
    public List<UUID> publish(List<Job> jobs, Publication next) {
        if (registry.isNoop()) {
            return next.proceed(jobs);
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
                () -> next.proceed(jobs.stream().map(job -> with(headers, job)).toList())));
    }

    @Override
    public @Nullable Object handle(JobContext job, Attempt next) throws Exception {
        if (registry.isNoop()) {
            return next.proceed();
        }
        ReceiverContext<Map<String, String>> context =
                new ReceiverContext<>((carrier, name) -> carrier.get(name), Kind.CONSUMER);
        context.setCarrier(job.headers());
        Observation observation = Observation.createNotStarted("queue.handle", () -> context, registry)
                .contextualName("handle " + job.type())
                .lowCardinalityKeyValues(KeyValues.of("type", job.type(), "queue", job.queue()))
                .highCardinalityKeyValues(
                        KeyValues.of("job.id", job.id().toString(), "job.attempt", String.valueOf(job.attempt())));
        Callable<@Nullable Object> attempt = next::proceed;
        return observation.observeChecked(attempt::call);
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
        return queue != null ? queue : HandlerDefinition.DEFAULT_QUEUE;
    }
}
