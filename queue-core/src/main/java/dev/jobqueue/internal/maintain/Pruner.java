package dev.jobqueue.internal.maintain;

import dev.jobqueue.internal.DatabaseErrors;
import java.time.Duration;

/** Removes history that is past its retention. */
final class Pruner extends Chore {

    /** A tenth of a second's work or so: what else is due waits for no longer. */
    private static final int BATCH = 5_000;

    private static final Duration INTERVAL = Duration.ofHours(1);

    /** While somebody holds the history locked. */
    private static final Duration LOCKED_PAUSE = Duration.ofMinutes(1);

    private final MaintainCalls calls;

    /**
     * @param first the longest pause before the first pruning
     */
    Pruner(MaintainCalls calls, Duration first) {
        super(first, INTERVAL);
        this.calls = calls;
    }

    /** One batch at a time, with a pause as long as it took: other chores and the database get their turn. */
    @Override
    Duration work() {
        long begin = System.nanoTime();
        try {
            boolean more = calls.prune(BATCH);
            return more ? Duration.ofNanos(System.nanoTime() - begin) : jittered(INTERVAL);
        } catch (RuntimeException ex) {
            if (DatabaseErrors.isLocked(ex)) {
                return LOCKED_PAUSE;
            }
            throw ex;
        }
    }
}
