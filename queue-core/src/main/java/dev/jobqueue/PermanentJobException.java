package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler when another attempt is pointless: the job goes to the dead letter at once. */
public class PermanentJobException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PermanentJobException(String message) {
        super(message);
    }

    public PermanentJobException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
