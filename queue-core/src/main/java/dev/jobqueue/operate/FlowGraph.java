package dev.jobqueue.operate;

import dev.jobqueue.OnParentDead;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A flow as a graph. A batch has neither nodes nor edges.
 *
 * @param id the id of the flow
 * @param nodes its steps, by number
 * @param edges which step comes after which
 * @param truncated whether there are more steps than these
 */
public record FlowGraph(UUID id, List<Node> nodes, List<Edge> edges, boolean truncated) {

    /**
     * Copies the lists.
     *
     * @param id the id of the flow
     * @param nodes its steps, by number
     * @param edges which step comes after which
     * @param truncated whether there are more steps than these
     */
    public FlowGraph {
        nodes = List.copyOf(nodes);
        edges = List.copyOf(edges);
    }

    /** Where a step is in its life. */
    public enum StepState {

        /** It waits for steps that it comes after. */
        BLOCKED,

        /** Its job was published, or it waits for a signal or a time. */
        FREE,

        /** It has completed. */
        DONE,

        /** It is dead. */
        DEAD,

        /** It was cancelled. */
        CANCELLED
    }

    /**
     * A step.
     *
     * @param step its number within the flow
     * @param name its name
     * @param group the name that it shares with others, if it does
     * @param kind {@code job}, {@code signal} or {@code timer}
     * @param state where it is in its life
     * @param jobId the id that its job has, or will have
     * @param type the type of its job; {@code null} for a signal or a timer
     * @param queue the queue of its job; {@code null} for a signal or a timer
     * @param onParentDead what becomes of it when a step is dead that it comes after
     * @param freedAt when it was free to begin; {@code null} if it is not
     * @param endedAt when it ended; {@code null} if it has not
     * @param problem what went wrong with it, if something did
     * @param compensates the number of the step that it undoes, if it does
     */
    public record Node(
            int step,
            String name,
            @Nullable String group,
            String kind,
            StepState state,
            UUID jobId,
            @Nullable String type,
            @Nullable String queue,
            OnParentDead onParentDead,
            @Nullable Instant freedAt,
            @Nullable Instant endedAt,
            @Nullable String problem,
            @Nullable Integer compensates) {}

    /**
     * One step comes after another.
     *
     * @param from the number of the step that comes first
     * @param to the number of the step that comes after it
     */
    public record Edge(int from, int to) {}
}
