package dev.jobqueue.internal.migrate;

import org.jspecify.annotations.Nullable;

/** The schema is not the one that this code needs, and this code cannot change that. */
public final class SchemaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    SchemaException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
