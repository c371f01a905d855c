package dev.jobqueue.internal;

import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Describes exceptions for the database and for the log: type, message and the top of the stack, also of each cause.
 * An exception may throw when it is asked for one of these parts, even a StackOverflowError; the other parts are
 * described all the same.
 */
public final class Errors {

    private static final int MAX_FRAMES = 20;
    private static final int MAX_CAUSES = 5;
    private static final int MAX_DEPTH = 20;
    private static final int MAX_MESSAGE = 2_000;
    private static final int MAX_LINE = 500;

    private Errors() {}

    /** The first line of an error. Quotes of payloads and of rows of tables stand on the lines below it. */
    public static String firstLine(String error) {
        String line = error.lines().filter(each -> !each.isBlank()).findFirst().orElse("");
        return line.length() <= MAX_LINE ? line : line.substring(0, MAX_LINE) + "...";
    }

    /**
     * Why a call failed, in one line: what the database or its driver said, without the SQL statement that Spring puts
     * in front of it. Without an SQLException it is the root cause.
     */
    public static String reason(Throwable thrown) {
        Throwable reason = thrown;
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < MAX_DEPTH; depth++) {
            if (current instanceof SQLException || !(reason instanceof SQLException)) {
                reason = current;
            }
            current = told(current::getCause);
        }
        String message = reason instanceof SQLException ? message(reason) : null;
        return firstLine(message != null ? message : String.valueOf(told(reason::toString)));
    }

    public static String describe(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < MAX_CAUSES; depth++) {
            text.append(depth == 0 ? "" : "\nCaused by: ");
            append(text, current);
            Throwable cause = told(current::getCause);
            current = cause == current ? null : cause;
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Throwable thrown) {
        text.append(thrown.getClass().getName());
        String message = message(thrown);
        if (message != null) {
            text.append(": ").append(clean(message));
        }
        StackTraceElement[] frames = told(thrown::getStackTrace);
        if (frames == null) {
            return;
        }
        for (int i = 0; i < Math.min(frames.length, MAX_FRAMES); i++) {
            text.append("\n\tat ").append(frames[i]);
        }
        if (frames.length > MAX_FRAMES) {
            text.append("\n\t... ").append(frames.length - MAX_FRAMES).append(" more");
        }
    }

    private static @Nullable String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Throwable ex) {
            return "(its message could not be read: " + ex.getClass().getName() + ")";
        }
    }

    private static <T> @Nullable T told(Supplier<? extends @Nullable T> part) {
        try {
            return part.get();
        } catch (Throwable ex) {
            return null;
        }
    }

    /** PostgreSQL's text has no place for NUL characters. */
    private static String clean(@Nullable String message) {
        String clean = message == null ? "" : message.replace('\0', ' ');
        return clean.length() <= MAX_MESSAGE ? clean : clean.substring(0, MAX_MESSAGE) + "...";
    }
}
