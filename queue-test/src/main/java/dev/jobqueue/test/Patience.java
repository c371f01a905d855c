package dev.jobqueue.test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** Waits for a test that runs at the same time and holds something until it rolls back; not for ever. */
final class Patience {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final Instant deadline = Instant.now().plus(LONGEST);

    /**
     * Waits a moment.
     *
     * @param what says what is held
     * @throws AssertionError if it has been held for too long
     */
    void pause(String what) {
        if (Instant.now().isAfter(deadline)) {
            throw new AssertionError("%s, and somebody else has held it for %s".formatted(what, LONGEST));
        }
        LockSupport.parkNanos(PAUSE.toNanos());
    }
}
