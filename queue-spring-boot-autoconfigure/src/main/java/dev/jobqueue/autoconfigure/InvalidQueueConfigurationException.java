package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.Spans;
import java.time.Duration;

/** Says at start that a property has an impossible value, or that beans do not fit each other. */
public final class InvalidQueueConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What to do. */
    private final String action;

    /**
     * A property has an impossible value.
     *
     * @param property its name
     * @param value its value
     * @param rule what it must be
     * @param action what to do
     */
    public InvalidQueueConfigurationException(String property, Object value, String rule, String action) {
        this(
                "The property '%s' has the value '%s', but it %s."
                        .formatted(property, value instanceof Duration span ? Spans.text(span) : value, rule),
                action);
    }

    /**
     * Something else is wrong.
     *
     * @param problem what is wrong
     * @param action what to do
     */
    public InvalidQueueConfigurationException(String problem, String action) {
        super(problem);
        this.action = action;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    String action() {
        return action;
    }
}
