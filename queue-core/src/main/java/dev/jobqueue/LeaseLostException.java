package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** The job is no longer this worker's: it was rescued, timed out or settled, and maybe another one runs it now. */
public class LeaseLostException extends JobQueueException {

    private static final long serialVersionUID = 1L;

    /**
     * Create the exception with a message.
     *
     * @param message says which job
     */
    public LeaseLostException(String message) {
        super(message);
    }

    /**
     * Create the exception with a message and a cause.
     *
     * @param message says which job
     * @param cause what led to it
     */
    public LeaseLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
