package dev.jobqueue;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A handler given as code instead of by {@link JobHandler}: for libraries, or for types known only at run time. In a
 * Spring application it is enough to declare one as a bean. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * HandlerDefinition.of("report.build", Report.class, (report, job) -> build(report)).queue("reports")
 * }</pre>
 */
public final class HandlerDefinition {

    private final String type;
    private final Type payloadType;
    private final HandlerFunction<Object> function;
    private final String queue;
    private final @Nullable Duration timeout;
    private final @Nullable RetryPolicy retryPolicy;
    private final boolean transactional;

    private HandlerDefinition(
            String type,
            Type payloadType,
            HandlerFunction<Object> function,
            String queue,
            @Nullable Duration timeout,
            @Nullable RetryPolicy retryPolicy,
            boolean transactional) {
        this.type = type;
        this.payloadType = payloadType;
        this.function = function;
        this.queue = queue;
        this.timeout = timeout;
        this.retryPolicy = retryPolicy;
        this.transactional = transactional;
    }

    /** A handler of jobs of the type, with payloads read as the given class. */
    @SuppressWarnings("unchecked")
    public static <T> HandlerDefinition of(String type, Class<T> payloadType, HandlerFunction<T> function) {
        return ofGeneric(type, payloadType, (HandlerFunction<Object>) function);
    }

    /** The same for a payload of a generic type. */
    public static HandlerDefinition ofGeneric(String type, Type payloadType, HandlerFunction<Object> function) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(payloadType, "payloadType");
        Objects.requireNonNull(function, "function");
        return new HandlerDefinition(type, payloadType, function, "default", null, null, false);
    }

    /** Jobs of this type are published to this queue when the publisher names none. */
    public HandlerDefinition queue(String queue) {
        return new HandlerDefinition(type, payloadType, function, queue, timeout, retryPolicy, transactional);
    }

    /** An attempt that takes longer is interrupted. */
    public HandlerDefinition timeout(@Nullable Duration timeout) {
        return new HandlerDefinition(type, payloadType, function, queue, timeout, retryPolicy, transactional);
    }

    /** How an attempt that threw is followed by another. */
    public HandlerDefinition retryPolicy(@Nullable RetryPolicy retryPolicy) {
        return new HandlerDefinition(type, payloadType, function, queue, timeout, retryPolicy, transactional);
    }

    /** Whether the handler runs in a transaction that commits together with the completion. */
    public HandlerDefinition transactional(boolean transactional) {
        return new HandlerDefinition(type, payloadType, function, queue, timeout, retryPolicy, transactional);
    }

    public String type() {
        return type;
    }

    public Type payloadType() {
        return payloadType;
    }

    public HandlerFunction<Object> function() {
        return function;
    }

    public String queue() {
        return queue;
    }

    public @Nullable Duration timeout() {
        return timeout;
    }

    public @Nullable RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    public boolean transactional() {
        return transactional;
    }

    @Override
    public String toString() {
        return "HandlerDefinition[type=%s, queue=%s]".formatted(type, queue);
    }
}
