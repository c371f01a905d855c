package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** The job is no longer this worker's: it was rescued, timed out or settled, and maybe another one runs it now. */
public class LeaseLostException extends JobQueueException {

    private static final long serialVersionUID = 1L;

    public LeaseLostException(String message) {
        super(message);
    }

    public LeaseLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
