package dev.jobqueue.internal.maintain;

import dev.jobqueue.internal.DatabaseErrors;
import java.time.Duration;

/** Counts what ended, for those who look at it over time. */
final class ThroughputMeter extends Chore {

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final MaintainCalls calls;

    ThroughputMeter(MaintainCalls calls) {
        super(INTERVAL, INTERVAL);
        this.calls = calls;
    }

    /** Where much was left undone, it pauses as long as it worked: other chores and the database get their turn. */
    @Override
    Duration work() {
        long begin = System.nanoTime();
        try {
            boolean more = calls.measure();
            return more ? Duration.ofNanos(System.nanoTime() - begin) : INTERVAL;
        } catch (RuntimeException ex) {
            if (DatabaseErrors.isLocked(ex)) {
                // by whoever holds the history, whose rows are counted later
                return INTERVAL;
            }
            throw ex;
        }
    }
}
