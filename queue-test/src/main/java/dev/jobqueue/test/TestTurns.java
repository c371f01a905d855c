package dev.jobqueue.test;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets the test methods that share an application context run one after the other, although JUnit runs them in
 * parallel: they share the clock, which is seen by all threads of the application.
 */
final class TestTurns {

    private static final int PATIENCE_MINUTES = 10;

    private final Semaphore turn = new Semaphore(1, true);
    private volatile @Nullable Turn current;

    void begin(String test) {
        Turn before = current;
        if (before != null && before.thread() == Thread.currentThread()) {
            // it cannot run any more, so nobody has told its end
            end();
        }
        try {
            if (!turn.tryAcquire(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException("%s has waited %d minutes for %s, which shares its application context"
                        .formatted(test, PATIENCE_MINUTES, current));
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(test + " was interrupted while it waited for its turn", ex);
        }
        current = new Turn(test, Thread.currentThread());
    }

    void end() {
        current = null;
        turn.release();
    }

    /** A test method that runs. */
    private record Turn(String test, Thread thread) {

        @Override
        public String toString() {
            return test;
        }
    }
}
