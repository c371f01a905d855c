package dev.jobqueue.dashboard;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Words of requests that stand for constants. */
final class Words {

    private Words() {}

    /** The constant of that name, in any case; {@code null} if nothing is given. */
    static <E extends Enum<E>> @Nullable E of(Class<E> type, String name, @Nullable String word) {
        if (word == null || word.isEmpty()) {
            return null;
        }
        return Arrays.stream(type.getEnumConstants())
                .filter(each -> each.name().equals(word.toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> Refusal.invalid("%s is '%s': must be one of %s"
                        .formatted(
                                name,
                                word,
                                Arrays.stream(type.getEnumConstants())
                                        .map(Enum::name)
                                        .collect(Collectors.joining(", ")))));
    }
}
