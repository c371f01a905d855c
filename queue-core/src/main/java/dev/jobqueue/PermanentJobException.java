package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler when another attempt is pointless: the job goes to the dead letter at once. */
public class PermanentJobException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Create the exception with a message.
     *
     * @param message kept as the error of the attempt
     */
    public PermanentJobException(String message) {
        super(message);
    }

    /**
     * Create the exception with a message and a cause.
     *
     * @param message kept as the error of the attempt
     * @param cause what led to it
     */
    public PermanentJobException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
