package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.Spans;
import java.time.Duration;

/** Says at start that a property has an impossible value, or that beans do not fit each other. */
final class InvalidQueueConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    InvalidQueueConfigurationException(String property, Object value, String rule, String action) {
        this(
                "The property '%s' has the value '%s', but it %s."
                        .formatted(property, value instanceof Duration span ? Spans.text(span) : value, rule),
                action);
    }

    InvalidQueueConfigurationException(String problem, String action) {
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
