package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.autoconfigure.InvalidQueueConfigurationException;
import dev.jobqueue.autoconfigure.QueueProperties;
import java.time.Duration;
import org.springframework.core.env.Environment;

/** What the properties of forwarding mean, or what is wrong with them. */
final class ForwardSettings {

    /** The clients of the brokers count milliseconds in an int, and we double them. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private ForwardSettings() {}

    static QueueProperties.Forward checked(QueueProperties properties) {
        QueueProperties.Forward forward = properties.forward();
        check("queue.forward.timeout", forward.timeout(), Duration.ofMillis(100));
        check("queue.forward.backoff", forward.backoff(), Duration.ofMillis(1));
        check("queue.forward.max-backoff", forward.maxBackoff(), forward.backoff());
        return forward;
    }

    private static void check(String property, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new InvalidQueueConfigurationException(
                    property,
                    value,
                    "must be at least %d ms and at most 1 day".formatted(least.toMillis()),
                    "Set it to a duration such as 20s.");
        }
    }

    /** What the headers of CloudEvents name as the source. */
    static String source(QueueProperties.Forward properties, Environment environment) {
        return properties.source() != null
                ? properties.source()
                : environment.getProperty("spring.application.name", "application");
    }
}
