package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** There is no such job, or it is no longer in the state that the call is for. */
public class JobNotFoundException extends JobQueueException {

    private static final long serialVersionUID = 1L;

    /**
     * Create the exception with a message.
     *
     * @param message says which job
     */
    public JobNotFoundException(String message) {
        super(message);
    }

    /**
     * Create the exception with a message and a cause.
     *
     * @param message says which job
     * @param cause what led to it
     */
    public JobNotFoundException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
