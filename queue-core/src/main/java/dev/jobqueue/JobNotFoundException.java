package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** There is no such job, or it is no longer in the state that the call is for. */
public class JobNotFoundException extends JobQueueException {

    private static final long serialVersionUID = 1L;

    public JobNotFoundException(String message) {
        super(message);
    }

    public JobNotFoundException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
