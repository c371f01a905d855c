package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.Spans;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Reads what callers sent, or says what is wrong with it: Boot's own conversion would not say which value. */
final class Arguments {

    private Arguments() {}

    static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException ex) {
            throw invalid(
                    "'%s' is no id of a job: give a UUID such as 0198a1c3-5b3e-7cc0-8d2f-1c6f0f0e9b11".formatted(text));
        }
    }

    static JobState state(@Nullable String text) {
        JobState state = text == null ? null : oneOf("state", text, JobState.class);
        if (state == null) {
            throw invalid("The parameter 'state' is missing: give one of " + names(JobState.class));
        }
        return state;
    }

    /** Reads one of some names, in any case; {@code null} if it is missing. */
    static <E extends Enum<E>> @Nullable E oneOf(String name, @Nullable String text, Class<E> values) {
        if (text == null) {
            return null;
        }
        try {
            return Enum.valueOf(values, text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException ex) {
            throw invalid("%s is '%s': must be one of %s".formatted(name, text, names(values)));
        }
    }

    private static <E extends Enum<E>> String names(Class<E> values) {
        return Arrays.stream(values.getEnumConstants())
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }

    /** Reads a text that the database can store; {@code null} if it is empty. */
    static @Nullable String text(String name, @Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        if (text.indexOf('\0') >= 0) {
            throw invalid("%s has a NUL character: leave it out".formatted(name));
        }
        return text;
    }

    static @Nullable Integer number(String name, @Nullable String text, int largest) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= largest) {
                return number;
            }
        } catch (NumberFormatException ex) {
            // said below
        }
        throw invalid("%s is '%s': must be a number from 1 to %d".formatted(name, text, largest));
    }

    static boolean yes(String name, @Nullable String text, boolean otherwise) {
        if (text == null || text.isEmpty()) {
            return otherwise;
        }
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid("%s is '%s': must be true or false".formatted(name, text));
        };
    }

    static @Nullable Duration duration(String name, @Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            Duration duration = DurationStyle.detectAndParse(text);
            if (!duration.isNegative() && duration.compareTo(Spans.LONGEST) <= 0) {
                return duration;
            }
        } catch (IllegalArgumentException ex) {
            // said below
        }
        throw invalid("%s is '%s': must be a duration such as 30s, 5m or 7d, at most %dd"
                .formatted(name, text, Spans.LONGEST.toDays()));
    }

    static InvalidJobException invalid(String message) {
        return new InvalidJobException(message);
    }
}
