package dev.jobqueue.internal.slot;

import java.util.concurrent.atomic.LongAdder;

/**
 * How many jobs to claim beyond the free slots. Follows how many jobs were handled since the last claim: jobs that take
 * long are never hoarded, and slots never wait for quick ones.
 */
final class Prefetch {

    private static final int MOST = 1_000;

    /** While one slot works alone. Claims of several nodes wait for each other; half of this has to last meanwhile. */
    private static final int MOST_WHILE_QUICK = 2_000;

    private final LongAdder handled = new LongAdder();
    private volatile int size;
    private volatile long handledAtClaim;

    /** A slot has handled a job. */
    void handled() {
        handled.increment();
    }

    /** How many jobs the slots have handled so far. */
    long handledSoFar() {
        return handled.sum();
    }

    /** How many jobs may wait for a slot, as of the last claim. */
    int size() {
        return size;
    }

    /** Whether so few jobs wait that the next claim should come. */
    boolean isLow(int waiting) {
        return waiting <= size / 2;
    }

    /**
     * A claim comes next: looks how many jobs were handled since the last one. For one thread only.
     *
     * @param ahead how many jobs the slots handle in the time for which work may be held
     */
    void adapt(boolean quick, long ahead) {
        long now = handled.sum();
        long most = Math.min(quick ? MOST_WHILE_QUICK : MOST, ahead);
        size = (int) Math.min(most, 2 * (now - handledAtClaim));
        handledAtClaim = now;
    }

    /** Claims nothing ahead until jobs are quick again. */
    void stop() {
        size = 0;
        handledAtClaim = handled.sum();
    }
}
