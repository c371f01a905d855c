package dev.jobqueue.benchmarks.subject;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the worker side of a subject is set up.
 *
 * @param slots jobs at once; 0 means what the library takes by itself
 * @param poll how often to look for jobs; {@code null} means what the library takes by itself
 * @param sameJvm whether jobs are published through the worker's own instance, with its short cuts if it has any
 * @param virtualThreads whether the handlers run on virtual threads, where the subject can
 */
public record Workers(int slots, @Nullable Duration poll, boolean sameJvm, boolean virtualThreads) {

    public static Workers defaults() {
        return new Workers(0, null, false, false);
    }

    public static Workers of(int slots) {
        return new Workers(slots, null, false, false);
    }

    public Workers poll(Duration interval) {
        return new Workers(slots, interval, sameJvm, virtualThreads);
    }

    public Workers inSameJvm() {
        return new Workers(slots, poll, true, virtualThreads);
    }

    public Workers onVirtualThreads() {
        return new Workers(slots, poll, sameJvm, true);
    }
}
