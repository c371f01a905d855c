package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/**
 * The role of the application in the database may not do what was asked for. The message names the role of the queue
 * that has to be granted to it.
 */
public final class MissingRightException extends JobQueueException {

    private static final long serialVersionUID = 1L;

    /**
     * With a message and a cause.
     *
     * @param message names the role to grant
     * @param cause what the database said
     */
    public MissingRightException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
