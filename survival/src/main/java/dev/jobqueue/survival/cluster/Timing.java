package dev.jobqueue.survival.cluster;

import java.time.Duration;

/**
 * How quick the nodes are, and how quick the queue must be.
 *
 * @param ttl how long a worker may be silent before its jobs are rescued
 * @param margin how much longer than the ttl any job may wait after a fault
 */
public record Timing(Duration ttl, Duration margin) {

    public static final Timing SHORT = new Timing(Duration.ofSeconds(6), Duration.ofSeconds(30));

    /** Six beats per ttl: a busy machine may swallow some. */
    public Duration heartbeat() {
        return ttl.dividedBy(6);
    }

    public Duration limit() {
        return ttl.plus(margin);
    }
}
