package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.postgres.TestDatabase;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application that may publish messages, with health and meters, and whatever broker a test adds. */
final class ForwardApplication {

    private ForwardApplication() {}

    static ApplicationContextRunner on(TestDatabase database) {
        return ObservedApplication.on(database)
                .withConfiguration(AutoConfigurations.of(QueueForwardAutoConfiguration.class));
    }
}
