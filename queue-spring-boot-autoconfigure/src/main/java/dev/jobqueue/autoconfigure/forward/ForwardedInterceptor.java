package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.Forward;
import dev.jobqueue.Forwarded;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobType;
import dev.jobqueue.internal.Json;
import dev.jobqueue.spi.JobInterceptor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;
import tools.jackson.databind.JsonNode;

/** Makes messages of jobs whose payload is {@link Forwarded}. A job that names its type is left as it is. */
final class ForwardedInterceptor implements JobInterceptor {

    private final Json json;
    private final ConcurrentMap<Class<?>, Optional<Forwarded>> annotations = new ConcurrentHashMap<>();

    ForwardedInterceptor(Json json) {
        this.json = json;
    }

    @Override
    public List<UUID> publish(List<Job> jobs, Publication next) {
        boolean asTheyAre = jobs.stream().allMatch(job -> annotation(job) == null);
        List<Job> messages = asTheyAre ? jobs : jobs.stream().map(this::message).toList();
        messages.forEach(ForwardedInterceptor::checkQueue);
        return next.proceed(messages);
    }

    /** In another queue several threads would send at once, and slots of its own would hold them up. */
    private static void checkQueue(Job job) {
        String type = job.type();
        boolean isMessage = Forward.KAFKA.equals(type) || Forward.RABBIT.equals(type);
        if (isMessage && !Objects.equals(type, job.queue())) {
            throw new InvalidJobException(
                    "A message of the type '%s' is in the queue '%s', and must be in '%1$s'. Leave its queue as it is."
                            .formatted(type, job.queue()));
        }
    }

    private @Nullable Forwarded annotation(Job job) {
        Object payload = job.payload();
        return payload == null || job.type() != null
                ? null
                : annotations
                        .computeIfAbsent(payload.getClass(), ForwardedInterceptor::find)
                        .orElse(null);
    }

    private static Optional<Forwarded> find(Class<?> type) {
        Forwarded found = AnnotationUtils.findAnnotation(type, Forwarded.class);
        if (found != null) {
            check(type, found);
        }
        return Optional.ofNullable(found);
    }

    private static void check(Class<?> type, Forwarded forwarded) {
        if (forwarded.kafka().isEmpty() == forwarded.rabbit().isEmpty()) {
            throw refusal(type, "must name either a topic of Kafka or an exchange of RabbitMQ");
        }
        if (AnnotationUtils.findAnnotation(type, JobType.class) != null) {
            throw refusal(
                    type,
                    "stands beside @JobType, so that it is not known whether it is a message or a job. Remove one of"
                            + " them, or publish it as a job by naming its type: publish(type, payload)");
        }
        if (forwarded.ordered()
                && forwarded.key().isEmpty()
                && forwarded.rabbit().isEmpty()) {
            throw refusal(type, "is ordered and has no key: name the path in the payload whose value is the key");
        }
    }

    private static InvalidJobException refusal(Class<?> type, String problem) {
        return new InvalidJobException("@Forwarded of '%s' %s.".formatted(type.getName(), problem));
    }

    private Job message(Job job) {
        Forwarded forwarded = annotation(job);
        Object payload = job.payload();
        if (forwarded == null || payload == null) {
            return job;
        }
        String key = key(forwarded, payload);
        if (key == null && forwarded.ordered() && !forwarded.key().isEmpty()) {
            throw refusal(
                    payload.getClass(),
                    "is ordered by '%s', which this payload does not have".formatted(forwarded.key()));
        }
        Job message = forwarded.kafka().isEmpty() ? rabbit(forwarded, key, payload) : kafka(forwarded, key, payload);
        return given(job, message);
    }

    private static Job kafka(Forwarded forwarded, @Nullable String key, Object payload) {
        Forward.Kafka message = Forward.kafka(forwarded.kafka());
        message = key == null ? message : message.key(key);
        message = forwarded.ordered() ? message.ordered() : message;
        return with(message, forwarded).body(payload);
    }

    private static Job rabbit(Forwarded forwarded, @Nullable String key, Object payload) {
        Forward.Rabbit message = Forward.rabbit(forwarded.rabbit()).routingKey(forwarded.routingKey());
        if (forwarded.ordered()) {
            message = key == null ? message.ordered() : message.ordered(key);
        }
        return with(message, forwarded).body(payload);
    }

    private static <M extends Forward.Message<M>> M with(M message, Forwarded forwarded) {
        return forwarded.cloudEvent().isEmpty() ? message : message.cloudEvent(forwarded.cloudEvent());
    }

    /** The value at the path; {@code null} if there is none. */
    private @Nullable String key(Forwarded forwarded, Object payload) {
        if (forwarded.key().isEmpty()) {
            return null;
        }
        JsonNode node = json.convert(payload, JsonNode.class);
        for (String name : forwarded.key().split("\\.", -1)) {
            node = node.path(name);
        }
        return node.isMissingNode() || node.isNull() ? null : node.isValueNode() ? node.asString() : node.toString();
    }

    /** The message, with what the publisher said of the job. */
    private static Job given(Job job, Job message) {
        Job changed = job.type(String.valueOf(message.type())).payload(message.payload());
        changed = job.queue() == null ? changed.queue(String.valueOf(message.queue())) : changed;
        for (Map.Entry<String, String> limit : message.limits().entrySet()) {
            changed = changed.limit(limit.getKey(), limit.getValue());
        }
        return changed;
    }
}
