package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.autoconfigure.QueueProperties;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Topics and queues that take nothing although the broker is there, such as a topic without a leader. All of them are
 * tried again at the same time, with a message each: while one is tried, other messages wait for the answer too.
 */
final class StuckPlaces {

    private final ForwardStatus status;
    private final Backoff backoff;
    private long retryAt = System.nanoTime();

    StuckPlaces(ForwardStatus status, QueueProperties.Forward properties) {
        this.status = status;
        this.backoff = new Backoff(properties);
    }

    void found(Map<String, String> stuck) {
        stuck.forEach(status::isStuck);
        if (left().isZero()) {
            retryAt = System.nanoTime() + backoff.next().toNanos();
        }
    }

    void working(Set<String> places) {
        places.forEach(status::works);
        // not those that nobody has used for long
        if (status.stuck().isEmpty()) {
            backoff.reset();
        }
    }

    boolean contains(String place) {
        return status.stuckPlaces().contains(place);
    }

    boolean containsAll(Set<String> places) {
        return status.stuckPlaces().containsAll(places);
    }

    /** {@return how long its messages have to wait before one of them is tried; zero if not at all} */
    Duration pauseOf(String place) {
        return contains(place) ? left() : Duration.ZERO;
    }

    private Duration left() {
        long nanos = retryAt - System.nanoTime();
        return nanos <= 0 ? Duration.ZERO : Duration.ofNanos(nanos);
    }
}
