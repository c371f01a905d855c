package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** An argument is wrong. The message names the argument, its value and the rule. Nothing was changed. */
public class InvalidJobException extends JobQueueException {

    private static final long serialVersionUID = 1L;

    /**
     * Create the exception with a message.
     *
     * @param message names the argument, its value and the rule
     */
    public InvalidJobException(String message) {
        super(message);
    }

    /**
     * Create the exception with a message and a cause.
     *
     * @param message names the argument, its value and the rule
     * @param cause what led to it
     */
    public InvalidJobException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
