package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/** An argument is wrong; the message names it, its value and the rule. Nothing was changed. */
public class InvalidJobException extends JobQueueException {

    private static final long serialVersionUID = 1L;

    public InvalidJobException(String message) {
        super(message);
    }

    public InvalidJobException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
