package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.autoconfigure.QueueProperties;
import java.time.Duration;

/** How long to wait before the next try: each time twice as long. */
final class Backoff {

    private final Duration first;
    private final Duration longest;
    private Duration next;

    Backoff(QueueProperties.Forward properties) {
        this.first = properties.backoff();
        this.longest = properties.maxBackoff();
        this.next = first;
    }

    Duration next() {
        Duration current = next;
        Duration doubled = current.multipliedBy(2);
        next = doubled.compareTo(longest) > 0 ? longest : doubled;
        return current;
    }

    void reset() {
        next = first;
    }
}
