package dev.jobqueue.autoconfigure;

import dev.jobqueue.autoconfigure.health.QueueHealthAutoConfiguration;
import dev.jobqueue.autoconfigure.metrics.QueueMetricsAutoConfiguration;
import dev.jobqueue.autoconfigure.tracing.QueueObservationAutoConfiguration;
import dev.jobqueue.postgres.TestDatabase;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application with the queue and all that watches it. */
public final class ObservedApplication {

    private ObservedApplication() {}

    public static ApplicationContextRunner on(TestDatabase database) {
        return QueueApplication.on(database)
                .withConfiguration(AutoConfigurations.of(
                        QueueHealthAutoConfiguration.class,
                        QueueMetricsAutoConfiguration.class,
                        QueueObservationAutoConfiguration.class));
    }
}
