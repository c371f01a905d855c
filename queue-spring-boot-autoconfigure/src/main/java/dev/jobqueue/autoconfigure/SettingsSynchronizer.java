package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.HandlerRegistry;
import dev.jobqueue.internal.store.Operations;
import java.time.Duration;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Stores what code and properties say in the database, so that publishers and workers in any language obey it. */
final class SettingsSynchronizer {

    private final QueueProperties properties;
    private final HandlerRegistry handlers;
    private final Operations operations;

    SettingsSynchronizer(QueueProperties properties, HandlerRegistry handlers, Operations operations) {
        this.properties = properties;
        this.handlers = handlers;
        this.operations = operations;
    }

    void synchronize() {
        if (properties.retention() != null) {
            operations.configure(properties.retention(), null, null, null);
        }
        properties.queues().forEach((name, queue) -> {
            if (queue.retention() != null) {
                operations.configureQueue(name, queue.retention(), null, null);
            }
        });
        TreeSet<String> types = new TreeSet<>(properties.retry().keySet());
        types.addAll(handlers.types());
        types.forEach(this::synchronize);
    }

    private void synchronize(String type) {
        HandlerDefinition handler = handlers.find(type);
        RetryPolicy own = handler == null ? null : handler.retryPolicy();
        Duration ownTimeout = handler == null ? null : handler.timeout();
        QueueProperties.Retry retry = properties.retry().get(type);
        if (retry == null && own == null && ownTimeout == null) {
            return;
        }
        RetryPolicy base = own == null ? RetryPolicy.DEFAULT : own;
        RetryPolicy policy = retry == null
                ? base
                : new RetryPolicy(
                        or(retry.maxAttempts(), base.maxAttempts()),
                        or(retry.backoff(), base.backoff()),
                        or(retry.factor(), base.factor()),
                        or(retry.maxBackoff(), base.maximum()),
                        or(retry.jitter(), base.jitter()));
        operations.setRetryPolicy(
                type, policy, retry != null && retry.timeout() != null ? retry.timeout() : ownTimeout);
    }

    private static <T> T or(@Nullable T value, T fallback) {
        return value == null ? fallback : value;
    }
}
