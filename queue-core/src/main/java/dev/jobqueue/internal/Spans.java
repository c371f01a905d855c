package dev.jobqueue.internal;

import dev.jobqueue.InvalidJobException;
import java.time.Duration;

/** Spans of time that users choose, some of them absurd. */
public final class Spans {

    /** What the database accepts of a delay or a timeout. */
    public static final Duration LONGEST = Duration.ofDays(3_650);

    /** Longer than whatever the database accepts, and far from what overflows. */
    private static final long MOST_MILLIS = Duration.ofDays(365_000).toMillis();

    private Spans() {}

    /**
     * Refuses a span that the database would refuse.
     *
     * @param what what the span is, for the message
     */
    public static Duration require(String what, Duration span) {
        if (span.isNegative() || span.compareTo(LONGEST) > 0) {
            throw new InvalidJobException("%s is '%s': must be at least 0 and at most 10 years".formatted(what, span));
        }
        return span;
    }

    /** The milliseconds of any span: what would overflow becomes a value that the database refuses by its name. */
    public static long toMillis(Duration span) {
        if (span.compareTo(Duration.ofMillis(MOST_MILLIS)) > 0) {
            return MOST_MILLIS;
        }
        return span.compareTo(Duration.ofMillis(-MOST_MILLIS)) < 0 ? -MOST_MILLIS : span.toMillis();
    }
}
