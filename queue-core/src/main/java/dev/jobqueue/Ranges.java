package dev.jobqueue;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Refuses durations and times that the database does not accept, where the caller gives them. */
final class Ranges {

    /** As the SQL functions have it. */
    private static final Duration LONGEST = Duration.ofDays(3650);

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);

    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private Ranges() {}

    static void requireDelay(String what, @Nullable Duration delay) {
        if (delay != null && (delay.isNegative() || delay.compareTo(LONGEST) > 0)) {
            throw new InvalidJobException("%s is '%s': must be at least 0 and at most 10 years".formatted(what, delay));
        }
    }

    static void requireTimeout(String what, @Nullable Duration timeout) {
        if (timeout != null && (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST) > 0)) {
            throw new InvalidJobException(
                    "%s is '%s': must be at least 1 ms and at most 10 years".formatted(what, timeout));
        }
    }

    static void requireMaxDelay(Duration delay, Duration maxDelay) {
        requireTimeout("max_delay", maxDelay);
        if (maxDelay.compareTo(delay) < 0) {
            throw new InvalidJobException(
                    "max_delay is '%s': must not be less than the delay, '%s'".formatted(maxDelay, delay));
        }
    }

    static void requireTime(String what, @Nullable Instant time) {
        if (time != null && (time.isBefore(FIRST) || !time.isBefore(END))) {
            throw new InvalidJobException("%s is '%s': must be from the year 1 to 9999".formatted(what, time));
        }
    }
}
