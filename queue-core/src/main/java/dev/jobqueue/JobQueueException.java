package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** Something the job queue refused to do; its subclasses say what. */
public class JobQueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Create the exception with a message.
     *
     * @param message says what was refused
     */
    public JobQueueException(String message) {
        super(message);
    }

    /**
     * Create the exception with a message and a cause.
     *
     * @param message says what was refused
     * @param cause what led to it
     */
    public JobQueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
