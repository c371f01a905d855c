package dev.jobqueue.internal.node;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.settle.FailureLog;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How this node works.
 *
 * @param slots how many jobs at once, by queue
 * @param direct whether jobs published on this node may start on it without being claimed
 * @param maxClaimBytes how many bytes of payloads one claim brings of a queue, and how many may wait for a slot
 * @param pollInterval how often to look for jobs when nothing wakes the claimer
 * @param heartbeatInterval how often to say that this node lives
 * @param ttl how long a node may be silent before its jobs are rescued
 * @param shutdownGrace how long running jobs may take to finish when the node stops
 * @param probeInterval how often the listener checks that it hears
 * @param failureLog what is logged of attempts that threw
 * @param version the version of the application, for others to see
 * @param application its name, the owner of its schedules; {@code null} if it has none
 */
public record NodeSettings(
        Schema schema,
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
        @Nullable String application) {}
