package dev.jobqueue.internal.maintain;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Something that every node does now and then, whoever comes first. */
abstract class Chore {

    private final Duration afterFailure;
    private long next;
    private volatile boolean hurried;

    /** Is done at once, and again at once if it throws. */
    Chore() {
        this.afterFailure = Duration.ZERO;
        this.next = System.nanoTime();
    }

    /** Is first done within a while, and after so long again if it throws, so that it stands in the way of nothing. */
    Chore(Duration first, Duration afterFailure) {
        this.afterFailure = afterFailure;
        this.next = System.nanoTime() + jittered(first).toNanos();
    }

    /** Does the work, and tells how long to wait before the next time. */
    abstract Duration work();

    final void hurry() {
        hurried = true;
    }

    final void doIfDue() {
        if (left().isZero()) {
            hurried = false;
            next = System.nanoTime() + afterFailure.toNanos();
            Duration pause = work();
            // counted from the end of the work, as the pause is
            next = System.nanoTime() + pause.toNanos();
        }
    }

    final Duration left() {
        return hurried ? Duration.ZERO : Duration.ofNanos(Math.max(0, next - System.nanoTime()));
    }

    static Duration jittered(Duration interval) {
        long nanos = interval.toNanos();
        return Duration.ofNanos(nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2 + 1));
    }
}
