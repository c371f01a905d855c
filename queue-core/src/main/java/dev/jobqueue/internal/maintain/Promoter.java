package dev.jobqueue.internal.maintain;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes scheduled jobs pending when they are due. */
final class Promoter extends Chore {

    private static final int BATCH = 1_000;

    private final MaintainCalls calls;
    private final Supplier<Duration> poll;
    private final Runnable onPending;

    /** When the next scheduled job is due, in nanoseconds; {@code null} if none is known of. */
    private @Nullable Long dueAt;

    /** Somebody told of a scheduled job: on a busy machine it may be due before it could be known of. */
    private volatile boolean told;

    /**
     * @param poll how often to look for scheduled jobs that nobody told of; asked before each pause
     * @param onPending called when jobs became pending, or may have
     */
    Promoter(MaintainCalls calls, Supplier<Duration> poll, Runnable onPending) {
        this.calls = calls;
        this.poll = poll;
        this.onPending = onPending;
    }

    /** A job was scheduled, maybe earlier than the one waited for. */
    void tell() {
        told = true;
        hurry();
    }

    @Override
    Duration work() {
        boolean expected = told || (dueAt != null && System.nanoTime() - dueAt >= 0);
        told = false;
        Optional<Duration> next;
        try {
            next = calls.promote(BATCH);
        } catch (RuntimeException ex) {
            if (expected) {
                told = true;
            }
            throw ex;
        }
        dueAt = next.map(each -> System.nanoTime() + each.toNanos()).orElse(null);
        if (expected) {
            onPending.run();
        }
        Duration longest = poll.get();
        return next.filter(each -> each.compareTo(longest) < 0).orElse(longest);
    }
}
