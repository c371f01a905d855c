package dev.jobqueue.autoconfigure.health;

import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.QueueProperties.Thresholds;
import dev.jobqueue.operate.QueueFigures;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The thresholds of one queue: its own, else the global ones. A count of pending jobs warns as the database says if
 * neither is set, and is CRITICAL only where a property says so: a bulk publish is no reason to be DOWN.
 */
record QueueThresholds(
        @Nullable Long pendingWarning,
        @Nullable Long pendingCritical,
        @Nullable Duration oldestWarning,
        @Nullable Duration oldestCritical,
        @Nullable Long deadWarning,
        @Nullable Long deadCritical) {

    QueueThresholds(QueueProperties properties, QueueFigures figures) {
        this(properties.health(), own(properties, figures.queue()), figures);
    }

    private QueueThresholds(QueueProperties.Health all, Thresholds own, QueueFigures figures) {
        this(
                first(own.pendingWarning(), all.pendingWarning(), figures.pendingWarning()),
                first(own.pendingCritical(), all.pendingCritical(), null),
                own.oldestWarning() != null ? own.oldestWarning() : all.oldestWarning(),
                own.oldestCritical() != null ? own.oldestCritical() : all.oldestCritical(),
                first(own.deadWarning(), all.deadWarning(), null),
                first(own.deadCritical(), all.deadCritical(), null));
    }

    private static Thresholds own(QueueProperties properties, String queue) {
        QueueProperties.Queue settings = properties.queues().get(queue);
        return settings == null ? new Thresholds(null, null, null, null, null, null) : settings.health();
    }

    private static @Nullable Long first(@Nullable Integer own, @Nullable Integer all, @Nullable Integer stored) {
        Integer value = own != null ? own : all != null ? all : stored;
        return value == null ? null : value.longValue();
    }
}
