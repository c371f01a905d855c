package dev.jobqueue.internal.worker;

/**
 * How long the handlers of a queue take, as a moving average that follows the last hundred runs or so. Several threads
 * feed it without a lock: a run that gets lost now and then does not matter.
 */
final class Pace {

    /** Below this the claims are the limit: one slot keeps up with them. */
    private static final long QUICK_NANOS = 10_000;

    /** Somewhat above, so that a queue between the two does not change its mind with every job. */
    private static final long NOT_QUICK_NANOS = 15_000;

    private static final int WEIGHT = 64;

    /**
     * A run counts as no longer than this. One such run is enough to make a queue not quick, and yet a thread that merely
     * had to wait for a processor is forgotten within a hundred jobs.
     */
    private static final long LONG_NANOS = 1_000_000;

    private volatile long average = LONG_NANOS;
    private volatile boolean quick;

    /** Whether the handlers are so quick that threads which share them would only be in each other's way. */
    boolean isQuick() {
        return quick;
    }

    void ran(long nanos) {
        long before = average;
        long now = before + (Math.min(nanos, LONG_NANOS) - before) / WEIGHT;
        average = now;
        if (quick ? now > NOT_QUICK_NANOS : now < QUICK_NANOS) {
            quick = now < QUICK_NANOS;
        }
    }

    /** A handler has been running for long, and still is. */
    void runsLong() {
        ran(LONG_NANOS);
    }
}
