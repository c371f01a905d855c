package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import dev.jobqueue.internal.node.NodeStatus;
import dev.jobqueue.internal.node.NodeStatus.SlotUse;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.NodeFigures;
import dev.jobqueue.operate.QueueFigures;
import dev.jobqueue.operate.UnhandledType;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Queues and nodes, for people and scripts to read. */
final class Queues {

    private final JobOperations operations;
    private final Supplier<NodeStatus> node;
    private final List<ForwardStatus> brokers;

    /**
     * @param node how this node is at the moment
     * @param brokers how it sends messages
     */
    Queues(JobOperations operations, Supplier<NodeStatus> node, List<ForwardStatus> brokers) {
        this.operations = operations;
        this.node = node;
        this.brokers = brokers;
    }

    Limits limits() {
        return new Limits(operations.limits());
    }

    Map<String, Object> overview() {
        Map<String, Object> overview = new LinkedHashMap<>();
        overview.put("queues", operations.queues().stream().map(this::describe).toList());
        overview.put(
                "liveNodes",
                operations.nodes().stream().filter(NodeFigures::isLive).count());
        overview.put(
                "typesWithoutHandler",
                operations.unhandledTypes().stream().map(Queues::describe).toList());
        return overview;
    }

    Map<String, Object> one(String name) {
        List<QueueFigures> figures = operations.queues();
        return figures.stream()
                .filter(each -> each.queue().equals(name))
                .map(this::describe)
                .findFirst()
                .orElseThrow(() -> Responses.missing("There is no queue '%s', but there are: %s"
                        .formatted(
                                name, figures.stream().map(QueueFigures::queue).collect(Collectors.joining(", ")))));
    }

    Map<String, Object> nodes() {
        return Map.of("nodes", operations.nodes().stream().map(Responses::plain).toList());
    }

    /** The slots of this node for the queue; {@code null} if it does not work it. */
    @Nullable
    SlotUse slots(String queue) {
        return node.get().slots(queue);
    }

    private static Map<String, @Nullable Object> describe(UnhandledType type) {
        Map<String, @Nullable Object> described = new LinkedHashMap<>(Responses.plain(type));
        described.put("problem", type.problem() + ". " + type.remedy());
        return described;
    }

    private Map<String, Object> describe(QueueFigures figures) {
        Map<String, Object> queue = new LinkedHashMap<>();
        queue.put("name", figures.queue());
        queue.put("pausedAt", figures.pausedAt());
        queue.put("pending", figures.pending());
        queue.put("pendingIsAtLeast", figures.pendingIsAtLeast());
        queue.put("waiting", figures.waiting());
        queue.put("running", figures.running());
        queue.put("scheduled", figures.scheduled());
        queue.put("dead", figures.dead());
        Duration oldest = figures.oldest();
        queue.put("oldestPendingSeconds", oldest == null ? null : oldest.toMillis() / 1000.0);
        queue.put("slotsOfThisNode", slots(figures.queue()));
        Map<String, Object> broker = broker(figures.queue());
        if (broker != null) {
            queue.put("broker", broker);
        }
        return queue;
    }

    /** The broker that gets the messages of the queue, as this node sees it; {@code null} if it sends none. */
    @Nullable
    Map<String, Object> broker(@Nullable String queue) {
        return brokers.stream()
                .filter(broker -> broker.queue().equals(queue))
                .map(Queues::describe)
                .findFirst()
                .orElse(null);
    }

    private static Map<String, Object> describe(ForwardStatus broker) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("name", broker.broker());
        described.put("sent", broker.sent());
        described.put("refused", broker.refused());
        ForwardStatus.Outage outage = broker.outage();
        described.put("sending", outage == null);
        if (outage != null) {
            described.put("since", outage.since());
            described.put("reason", outage.reason());
            described.put("held", broker.held());
        }
        if (!broker.stuck().isEmpty()) {
            described.put("stuck", broker.stuck());
        }
        return described;
    }
}
