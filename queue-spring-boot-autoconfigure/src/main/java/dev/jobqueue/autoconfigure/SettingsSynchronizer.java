package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.HandlerRegistry;
import dev.jobqueue.internal.store.Operations;
import java.time.Duration;
import java.util.TreeSet;

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
            check("queue.retention", properties.retention());
            operations.configure(properties.retention(), null, null, null);
        }
        properties.queues().forEach((name, queue) -> {
            if (queue.retention() != null) {
                check("queue.queues." + name + ".retention", queue.retention());
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
        RetrySettings settings = new RetrySettings(type, own, retry);
        operations.setRetryPolicy(type, settings.policy(), settings.timeout(ownTimeout));
    }

    private static void check(String property, Duration retention) {
        if (retention.isNegative()) {
            throw new InvalidQueueConfigurationException(
                    property,
                    retention,
                    "must not be negative",
                    "Set it to a duration such as 7d, or to 0 to keep nothing.");
        }
    }
}
