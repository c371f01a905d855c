package dev.jobqueue.internal;

import dev.jobqueue.InvalidJobException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Spans of time that users choose: their limits, and how they are written. */
public final class Spans {

    /** What the database accepts of a delay or a timeout. */
    public static final Duration LONGEST = Duration.ofDays(3_650);

    /** Longer than whatever the database accepts, and far from what overflows. */
    private static final long MOST_MILLIS = Duration.ofDays(365_000).toMillis();

    private static final List<Map.Entry<String, Duration>> UNITS = List.of(
            Map.entry("d", Duration.ofDays(1)),
            Map.entry("h", Duration.ofHours(1)),
            Map.entry("m", Duration.ofMinutes(1)),
            Map.entry("s", Duration.ofSeconds(1)),
            Map.entry("ms", Duration.ofMillis(1)));

    private Spans() {}

    /**
     * Refuses a span that the database would refuse.
     *
     * @param what what the span is, for the message
     */
    public static Duration require(String what, Duration span) {
        Objects.requireNonNull(span, what);
        if (span.isNegative() || span.compareTo(LONGEST) > 0) {
            throw new InvalidJobException("%s is '%s': must be at least 0 and at most 10 years".formatted(what, span));
        }
        return span;
    }

    /** As people write it in properties and annotations: {@code 20s}, {@code 100ms}, {@code 7d}. */
    public static String text(Duration span) {
        if (span.isNegative() || span.compareTo(LONGEST) > 0 || span.toNanosPart() % 1_000_000 != 0) {
            return span.toString();
        }
        long millis = span.toMillis();
        if (millis == 0) {
            return "0s";
        }
        for (Map.Entry<String, Duration> unit : UNITS) {
            if (millis % unit.getValue().toMillis() == 0) {
                return millis / unit.getValue().toMillis() + unit.getKey();
            }
        }
        return span.toString();
    }

    /** The milliseconds of any span: what would overflow becomes a value that the database refuses by its name. */
    public static long toMillis(Duration span) {
        if (span.compareTo(Duration.ofMillis(MOST_MILLIS)) > 0) {
            return MOST_MILLIS;
        }
        return span.compareTo(Duration.ofMillis(-MOST_MILLIS)) < 0 ? -MOST_MILLIS : span.toMillis();
    }
}
