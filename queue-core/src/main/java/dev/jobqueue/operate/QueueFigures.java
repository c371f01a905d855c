package dev.jobqueue.operate;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a queue. Counting stops at a limit, so that it takes no longer with millions of jobs.
 *
 * @param queue the name of the queue
 * @param pausedAt since when it is paused; {@code null} if it is not
 * @param pending how many jobs are due and wait
 * @param pendingHandled the same, without types that the live nodes of the queue do not handle
 * @param scheduled how many jobs wait for their time
 * @param running how many jobs run
 * @param dead how many jobs are in the dead letter
 * @param oldest how long the oldest pending job is due, {@code null} if none is
 * @param oldestHandled the same, without types that the live nodes of the queue do not handle
 * @param pendingWarning from how many pending jobs on the database calls it a warning
 * @param pendingCritical from how many pending jobs on the database calls it critical
 * @param countedTo where counting the pending ones stopped: so many means at least so many
 * @param waiting how many jobs wait for their limits
 * @param countLimit where counting the others stopped: so many means at least so many
 */
public record QueueFigures(
        String queue,
        @Nullable Instant pausedAt,
        long pending,
        long pendingHandled,
        long scheduled,
        long running,
        long dead,
        @Nullable Duration oldest,
        @Nullable Duration oldestHandled,
        int pendingWarning,
        int pendingCritical,
        int countedTo,
        long waiting,
        int countLimit) {

    /** {@return whether there may be more pending jobs than counted} */
    public boolean pendingIsAtLeast() {
        return pending >= countedTo;
    }
}
