package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** Something the job queue refused to do; its subclasses say what. */
public class JobQueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public JobQueueException(String message) {
        super(message);
    }

    public JobQueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
