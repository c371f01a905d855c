package dev.jobqueue.autoconfigure.health;

import org.jspecify.annotations.Nullable;

/** How bad a finding is. */
enum Level {
    OK,
    WARNING,
    CRITICAL;

    Level or(Level other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /** The level of a value that is a warning or critical from these thresholds on; {@code null} means never. */
    static <T extends Comparable<T>> Level of(@Nullable T value, @Nullable T warning, @Nullable T critical) {
        if (value == null) {
            return OK;
        }
        if (critical != null && value.compareTo(critical) >= 0) {
            return CRITICAL;
        }
        return warning != null && value.compareTo(warning) >= 0 ? WARNING : OK;
    }

    /** The level of a count that is a warning or critical from these thresholds on; a count of zero is always OK. */
    static Level ofCount(long count, @Nullable Long warning, @Nullable Long critical) {
        return count == 0 ? OK : of(count, warning, critical);
    }
}
