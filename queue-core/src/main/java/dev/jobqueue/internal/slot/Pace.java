package dev.jobqueue.internal.slot;

/**
 * How long the handlers of a queue take, as moving averages that follow the last hundred runs or so. Several threads
 * feed it without a lock: a run that gets lost now and then does not matter.
 */
final class Pace {

    /** How much work a node may hold beyond what its slots are doing. */
    static final long AHEAD_NANOS = 100_000_000;

    /** Below this the claims are the limit: one slot keeps up with them. */
    private static final long QUICK_NANOS = 10_000;

    /** Somewhat above, so that a queue between the two does not change its mind with every job. */
    private static final long NOT_QUICK_NANOS = 15_000;

    private static final int WEIGHT = 64;

    /**
     * Longer runs are counted as this long. One such run is enough to make a queue not quick, and yet a thread that
     * merely had to wait for a processor is forgotten within a hundred jobs.
     */
    private static final long LONG_NANOS = 1_000_000;

    private volatile long recent = LONG_NANOS;
    private volatile boolean quick;

    /** The average of whole runs, however long; -1 before the first. */
    private volatile long mean = -1;

    /** Whether the handlers are so quick that threads which share them would only be in each other's way. */
    boolean isQuick() {
        return quick;
    }

    /** How many jobs so many slots handle in the time for which work may be held; none of those that take longer. */
    long ahead(int slots) {
        long each = Math.max(1, mean);
        return each > AHEAD_NANOS ? 0 : AHEAD_NANOS * slots / each;
    }

    /** Jobs have been running for so long, and still are. */
    void raiseTo(long nanos) {
        mean = Math.max(mean, nanos);
    }

    void ran(long nanos) {
        long before = mean;
        mean = before < 0 ? nanos : before + (nanos - before) / WEIGHT;
        follow(nanos);
    }

    /** Counts so many runs of this duration each. */
    void ran(long nanos, int jobs) {
        for (int i = 0; i < jobs; i++) {
            ran(nanos);
        }
    }

    private void follow(long nanos) {
        long before = recent;
        long now = before + (Math.min(nanos, LONG_NANOS) - before) / WEIGHT;
        recent = now;
        if (quick ? now > NOT_QUICK_NANOS : now < QUICK_NANOS) {
            quick = now < QUICK_NANOS;
        }
    }

    /** A handler has been running for long, and still is. */
    void sawLongRun() {
        follow(LONG_NANOS);
    }
}
