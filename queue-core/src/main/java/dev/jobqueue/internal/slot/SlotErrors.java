package dev.jobqueue.internal.slot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the errors of the slots of a queue, at most one in ten seconds. */
final class SlotErrors {

    private static final Logger log = LoggerFactory.getLogger(QueueSlots.class);

    private static final long PAUSE_NANOS = 10_000_000_000L;

    private final String queue;
    private long loggedAt = System.nanoTime() - PAUSE_NANOS;

    SlotErrors(String queue) {
        this.queue = queue;
    }

    /** The message has braces where the name of the queue belongs. */
    synchronized void log(String message, Throwable cause) {
        if (System.nanoTime() - loggedAt >= PAUSE_NANOS) {
            loggedAt = System.nanoTime();
            log.error(message, queue, cause);
        }
    }
}
