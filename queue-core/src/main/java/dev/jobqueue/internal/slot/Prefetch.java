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

    /**
     * The next bundle has at most this many times the jobs of the last one. A backlog fills bundles soon, and a queue
     * that has other types too claims few jobs ahead.
     */
    private static final int GROWTH = 4;

    private final LongAdder handled = new LongAdder();
    private volatile int size;
    private volatile int perSlot = 1;
    private volatile long handledAtClaim;

    /** A slot has handled jobs. */
    void handled(int jobs) {
        handled.add(jobs);
    }

    /**
     * A slot has taken jobs to handle them together.
     *
     * @param most how many it would have taken
     */
    void taken(int jobs, int most) {
        perSlot = Math.min(most, GROWTH * jobs);
    }

    /** A slot has taken a job alone. */
    void takenAlone() {
        if (perSlot != 1) {
            perSlot = 1;
        }
    }

    /** How many jobs the slots have handled so far. */
    long handledSoFar() {
        return handled.sum();
    }

    /** Whether so few jobs wait that the next claim should come. */
    boolean isLow(int waiting) {
        return waiting <= size / 2;
    }

    /**
     * How many jobs to claim now: as many as the free slots take, and some ahead. For one thread only.
     *
     * @param waiting how many jobs wait for a slot
     * @param ahead how many jobs the slots handle in the time for which work may be held
     */
    int wanted(int freeSlots, int waiting, boolean quick, long ahead) {
        int room = Math.max(freeSlots, Math.min(freeSlots * perSlot, MOST_WHILE_QUICK));
        if (waiting >= room && !isLow(waiting)) {
            return 0;
        }
        adapt(quick, ahead);
        return Math.max(0, room + size - waiting);
    }

    /**
     * A claim comes next: looks how many jobs were handled since the last one. Only whole bundles are claimed ahead,
     * because the slot takes what there is.
     */
    private void adapt(boolean quick, long ahead) {
        long now = handled.sum();
        long most = Math.min(quick ? MOST_WHILE_QUICK : MOST, ahead);
        long wanted = Math.min(most, 2 * (now - handledAtClaim));
        size = (int) (wanted - wanted % perSlot);
        handledAtClaim = now;
    }

    /** Claims nothing ahead until the next claim has seen how many jobs are handled. */
    void stop() {
        size = 0;
        handledAtClaim = handled.sum();
    }
}
