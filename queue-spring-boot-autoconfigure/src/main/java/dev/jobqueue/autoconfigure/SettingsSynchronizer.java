package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.operate.OperateCalls;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;

/** Stores what code and properties say in the database, so that publishers and workers in any language obey it. */
final class SettingsSynchronizer {

    private static final Logger log = LoggerFactory.getLogger(SettingsSynchronizer.class);

    /** The owner of what an application without a name sets; an operator's settings have no owner. */
    static final String NAMELESS = "";

    private static final String LOCKED = "55P03";

    /** A shorter retention is a mistake, mostly a forgotten unit. */
    private static final Duration SHORTEST_RETENTION = Duration.ofSeconds(1);

    private final QueueProperties properties;
    private final HandlerRegistry handlers;
    private final OperateCalls operations;

    SettingsSynchronizer(QueueProperties properties, HandlerRegistry handlers, OperateCalls operations) {
        this.properties = properties;
        this.handlers = handlers;
        this.operations = operations;
    }

    void synchronize() {
        QueueProperties.Health health = properties.health();
        check("queue.retention", properties.retention());
        if (!stored(properties).isEmpty()) {
            warn(
                    "The settings of all queues",
                    operations.configure(
                            properties.retention(), null, health.pendingWarning(), health.pendingCritical()));
        }
        properties.queues().forEach((name, queue) -> {
            QueueProperties.Thresholds own = queue.health();
            check(Spelling.property("queue.queues", name) + ".retention", queue.retention());
            if (!stored(name, queue).isEmpty()) {
                warn(
                        "The settings of queue '" + name + "'",
                        operations.configureQueue(
                                name, queue.retention(), own.pendingWarning(), own.pendingCritical()));
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
        if (retry == null && handler != null) {
            // jobs that are stored under an alias have the retry policy of the handler's type
            retry = properties.retry().get(handler.type());
        }
        if (retry == null && own == null && ownTimeout == null) {
            return;
        }
        RetrySettings settings = new RetrySettings(type, own, retry);
        warn(
                "The retry policy of type '" + type + "'",
                operations.setRetryPolicy(type, settings.policy(), settings.timeout(ownTimeout)));
    }

    static void warn(String what, Optional<String> replaced) {
        replaced.ifPresent(owner -> log.warn(
                "{} had other values, set by {}: they are replaced for both applications."
                        + " Set the same values in both, or give each a schema of its own (queue.schema.name).",
                what,
                owner.equals(NAMELESS)
                        ? "an application without a name (spring.application.name)"
                        : "the application '" + owner + "'"));
    }

    /** Whether somebody held a lock for too long. */
    static boolean isLocked(DataAccessException ex) {
        return NestedExceptionUtils.getMostSpecificCause(ex) instanceof SQLException refused
                && LOCKED.equals(refused.getSQLState());
    }

    private static void check(String property, @Nullable Duration retention) {
        if (retention != null && !retention.isZero() && retention.compareTo(SHORTEST_RETENTION) < 0) {
            throw new InvalidQueueConfigurationException(
                    property,
                    retention,
                    "must be 0 or at least " + Spans.text(SHORTEST_RETENTION),
                    "Set it to a duration such as 7d, or to 0 to keep nothing. A number without a unit means"
                            + " milliseconds.");
        }
    }

    /** The properties that are stored as settings of all queues. */
    static List<String> stored(QueueProperties properties) {
        QueueProperties.Health health = properties.health();
        return stored("queue", properties.retention(), health.pendingWarning(), health.pendingCritical());
    }

    /** The properties that are stored as settings of one queue. */
    static List<String> stored(String name, QueueProperties.Queue queue) {
        QueueProperties.Thresholds own = queue.health();
        return stored(
                Spelling.property("queue.queues", name),
                queue.retention(),
                own.pendingWarning(),
                own.pendingCritical());
    }

    private static List<String> stored(
            String prefix, @Nullable Duration retention, @Nullable Integer warning, @Nullable Integer critical) {
        List<String> stored = new ArrayList<>();
        if (retention != null) {
            stored.add(prefix + ".retention");
        }
        if (warning != null) {
            stored.add(prefix + ".health.pending-warning");
        }
        if (critical != null) {
            stored.add(prefix + ".health.pending-critical");
        }
        return stored;
    }

    /** Whether there is a retry policy or a timeout to store. */
    static boolean hasPolicies(QueueProperties properties, HandlerRegistry handlers) {
        return !properties.retry().isEmpty()
                || handlers.types().stream()
                        .map(handlers::find)
                        .anyMatch(each -> each != null && (each.retryPolicy() != null || each.timeout() != null));
    }
}
