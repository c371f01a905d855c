package dev.jobqueue.internal;

import org.jspecify.annotations.Nullable;

/** What is stored of an attempt that threw: type, message and the top of the stack, and so for each cause. */
public final class Errors {

    private static final int MAX_FRAMES = 20;
    private static final int MAX_CAUSES = 5;
    private static final int MAX_MESSAGE = 2_000;

    private Errors() {}

    public static String describe(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < MAX_CAUSES; depth++) {
            text.append(depth == 0 ? "" : "\nCaused by: ");
            append(text, current);
            current = current.getCause() == current ? null : current.getCause();
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Throwable thrown) {
        text.append(thrown.getClass().getName());
        String message = message(thrown);
        if (message != null) {
            text.append(": ").append(clean(message));
        }
        StackTraceElement[] frames = thrown.getStackTrace();
        for (int i = 0; i < Math.min(frames.length, MAX_FRAMES); i++) {
            text.append("\n\tat ").append(frames[i]);
        }
        if (frames.length > MAX_FRAMES) {
            text.append("\n\t... ").append(frames.length - MAX_FRAMES).append(" more");
        }
    }

    /** An exception that cannot even tell its message must not hide that the attempt threw. */
    private static @Nullable String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (RuntimeException ex) {
            return "(its message could not be read: " + ex.getClass().getName() + ")";
        }
    }

    /** PostgreSQL's text has no place for NUL characters. */
    private static String clean(@Nullable String message) {
        String clean = message == null ? "" : message.replace('\0', ' ');
        return clean.length() <= MAX_MESSAGE ? clean : clean.substring(0, MAX_MESSAGE) + "...";
    }
}
