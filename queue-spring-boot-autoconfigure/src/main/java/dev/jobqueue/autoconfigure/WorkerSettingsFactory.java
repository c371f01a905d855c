package dev.jobqueue.autoconfigure;

import dev.jobqueue.Forward;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.node.NodeSettings;
import dev.jobqueue.internal.settle.FailureLog;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.util.PatternMatchUtils;
import org.springframework.util.unit.DataSize;

/** Turns the properties into the settings of this node, or says what is wrong with them. */
final class WorkerSettingsFactory {

    private static final Set<String> FORWARDED = Set.of(Forward.KAFKA, Forward.RABBIT);

    private final QueueProperties properties;

    WorkerSettingsFactory(QueueProperties properties) {
        this.properties = properties;
    }

    NodeSettings create(HandlerRegistry handlers, Duration phaseTimeout, ApplicationIdentity application) {
        QueueProperties.Worker worker = properties.worker();
        check(worker, phaseTimeout);
        return new NodeSettings(
                slots(handlers),
                worker.direct(),
                positive("queue.worker.max-claim-bytes", worker.maxClaimBytes()),
                worker.pollInterval(),
                worker.heartbeatInterval(),
                worker.ttl(),
                worker.shutdownGrace(),
                properties.listener().probeInterval(),
                FailureLog.Detail.valueOf(worker.logFailures().name()),
                application.version(),
                application.name());
    }

    private void check(QueueProperties.Worker worker, Duration phaseTimeout) {
        positive("queue.worker.poll-interval", worker.pollInterval());
        positive("queue.worker.heartbeat-interval", worker.heartbeatInterval());
        positive("queue.worker.ttl", worker.ttl());
        positive("queue.listener.probe-interval", properties.listener().probeInterval());
        if (worker.ttl().compareTo(worker.heartbeatInterval().multipliedBy(2)) < 0) {
            throw new InvalidQueueConfigurationException(
                    "queue.worker.ttl",
                    worker.ttl(),
                    "must be at least twice queue.worker.heartbeat-interval (" + Spans.text(worker.heartbeatInterval())
                            + ")",
                    "Raise queue.worker.ttl, or lower queue.worker.heartbeat-interval.");
        }
        if (worker.shutdownGrace().isNegative()
                || worker.shutdownGrace().plus(NodeSettings.SHUTDOWN_MARGIN).compareTo(phaseTimeout) > 0) {
            throw new InvalidQueueConfigurationException(
                    "queue.worker.shutdown-grace",
                    worker.shutdownGrace(),
                    "must be at least %s shorter than spring.lifecycle.timeout-per-shutdown-phase (%s)"
                            .formatted(Spans.text(NodeSettings.SHUTDOWN_MARGIN), Spans.text(phaseTimeout)),
                    "Lower queue.worker.shutdown-grace, or raise spring.lifecycle.timeout-per-shutdown-phase.");
        }
    }

    private Map<String, Integer> slots(HandlerRegistry handlers) {
        TreeSet<String> known = new TreeSet<>(properties.queues().keySet());
        known.add(HandlerDefinition.DEFAULT_QUEUE);
        handlers.all().stream().map(HandlerDefinition::queue).forEach(known::add);
        properties.schedules().values().stream()
                .map(QueueProperties.Schedule::queue)
                .filter(Objects::nonNull)
                .forEach(known::add);
        UnknownQueues.warn(properties.worker().queues(), known);
        String[] patterns = properties.worker().queues().toArray(String[]::new);
        for (String pattern : patterns) {
            if (!pattern.contains("*")) {
                known.add(pattern);
            }
        }
        SortedMap<String, Integer> slots = new TreeMap<>();
        for (String queue : known) {
            if (PatternMatchUtils.simpleMatch(patterns, queue)) {
                slots.put(queue, slots(queue));
            }
        }
        if (slots.isEmpty()) {
            throw new InvalidQueueConfigurationException(
                    "queue.worker.queues",
                    properties.worker().queues(),
                    "must match at least one of the queues " + known,
                    "Name a queue, or set queue.worker.enabled=false for a node that only publishes.");
        }
        return slots;
    }

    private int slots(String queue) {
        QueueProperties.Queue settings = properties.queues().get(queue);
        Integer own = settings == null ? null : settings.slots();
        if (FORWARDED.contains(queue)) {
            return oneSlot(queue, own);
        }
        int slots = own == null ? properties.worker().slots() : own;
        if (slots < 1) {
            throw new InvalidQueueConfigurationException(
                    own == null ? "queue.worker.slots" : Spelling.property("queue.queues", queue) + ".slots",
                    slots,
                    "must be at least 1",
                    "Set it to 1 or more; to leave a queue to other nodes, see queue.worker.queues.");
        }
        return slots;
    }

    /** A slot takes many messages at once; two side by side would not keep them in order. */
    private static int oneSlot(String queue, @Nullable Integer own) {
        if (own != null && own != 1) {
            throw new InvalidQueueConfigurationException(
                    Spelling.property("queue.queues", queue) + ".slots",
                    own,
                    "must be 1: messages are sent many at once, and in order",
                    "Leave it out.");
        }
        return 1;
    }

    private static long positive(String property, DataSize value) {
        if (value.isNegative() || value.toBytes() == 0) {
            throw new InvalidQueueConfigurationException(
                    property, value, "must be more than zero", "Set it to a size such as 8MB.");
        }
        return value.toBytes();
    }

    private static void positive(String property, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(Spans.LONGEST) > 0) {
            throw new InvalidQueueConfigurationException(
                    property, value, "must be more than zero and at most 10 years", "Set it to a duration such as 5s.");
        }
    }
}
