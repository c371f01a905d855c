package dev.jobqueue.autoconfigure.health;

import org.jspecify.annotations.Nullable;

/** How bad it is. */
enum Level {
    OK,
    WARNING,
    CRITICAL;

    Level or(Level other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /** What a value means by the thresholds from which on it is worse; {@code null} means never. */
    static <T extends Comparable<T>> Level of(@Nullable T value, @Nullable T warning, @Nullable T critical) {
        if (value == null) {
            return OK;
        }
        if (critical != null && value.compareTo(critical) >= 0) {
            return CRITICAL;
        }
        return warning != null && value.compareTo(warning) >= 0 ? WARNING : OK;
    }

    /** What a number of things means by the thresholds; zero is always OK. */
    static Level ofCount(long count, @Nullable Long warning, @Nullable Long critical) {
        return count == 0 ? OK : of(count, warning, critical);
    }
}
