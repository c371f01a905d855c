package dev.jobqueue.operate;

import java.util.Locale;

/**
 * A number of jobs. Counting stops at a limit, so that it takes no longer with millions of jobs.
 *
 * @param jobs how many
 * @param isAtLeast whether there may be more
 */
public record JobCount(long jobs, boolean isAtLeast) {

    /** {@return the number for people, such as {@code 42} or {@code 10,000+}} */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, isAtLeast ? "%,d+" : "%,d", jobs);
    }
}
