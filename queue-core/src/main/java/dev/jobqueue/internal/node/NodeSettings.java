package dev.jobqueue.internal.node;

import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.settle.FailureLog;
import dev.jobqueue.internal.slot.Slots;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How this node works: a component for each setting.
 *
 * @param slots how many jobs run at once, by queue
 * @param direct whether jobs published on this node may start on it without being claimed
 * @param maxClaimBytes how many bytes of payloads one claim brings of a queue, and how many may wait for a slot
 * @param pollInterval how often to look for jobs when nothing wakes the claimer
 * @param heartbeatInterval how often to say that this node lives
 * @param ttl how long a node may be silent before its jobs are rescued
 * @param shutdownGrace how long running jobs may take to finish when the node stops
 * @param probeInterval how often the listener checks that it hears
 * @param failureLog what is logged of attempts that threw
 * @param version the version of the application, for others to see
 * @param application the name of the application, the owner of its schedules; {@code null} if it has none
 */
public record NodeSettings(
        Map<String, Integer> slots,
        boolean direct,
        long maxClaimBytes,
        Duration pollInterval,
        Duration heartbeatInterval,
        Duration ttl,
        Duration shutdownGrace,
        Duration probeInterval,
        FailureLog.Detail failureLog,
        String version,
        @Nullable String application) {

    /**
     * The time that a stop may need beyond the grace period: to interrupt handlers, to settle their jobs, and two
     * seconds for all the rest of it.
     */
    public static final Duration SHUTDOWN_MARGIN =
            Slots.INTERRUPT_WAIT.plus(JobPipeline.SETTLE_WAIT).plus(Duration.ofSeconds(2));

    /** What the slots of this node need. */
    public HandlingSetup handling(Application queueOf, HandlingSetup.Resources resources, Supplier<UUID> workerId) {
        return new HandlingSetup(queueOf, resources, slots, maxClaimBytes, workerId);
    }

    /** This node as others see it. */
    public NodeCalls.Registration registration(UUID workerId, Collection<String> types) {
        return new NodeCalls.Registration(
                workerId, HostName.VALUE, (int) ProcessHandle.current().pid(), version, slots.keySet(), types);
    }
}
