package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import dev.jobqueue.autoconfigure.forward.QueueForwardAutoConfiguration;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.spi.NodeMeter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of the queue. */
@AutoConfiguration(
        after = {QueueAutoConfiguration.class, QueueForwardAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, JobQueue.class})
@ConditionalOnBooleanProperty(name = "queue.metrics.enabled", matchIfMissing = true)
public final class QueueMetricsAutoConfiguration {

    /** Called by Spring. */
    public QueueMetricsAutoConfiguration() {}

    @Bean
    NodeMeter queueMeters(MeterRegistry registry, QueueProperties properties) {
        return new QueueMeters(registry, properties.metrics().histograms());
    }

    @Bean
    OutageGauges queueOutageGauges(MeterRegistry registry, JobQueue queue) {
        return new OutageGauges(registry, queue::status);
    }

    @Bean
    FigureGauges queueFigureGauges(MeterRegistry registry, JobQueue queue, QueueProperties properties) {
        return new FigureGauges(registry, queue.figures(), queue::status, properties);
    }

    @Bean
    ForwardMeters queueForwardMeters(MeterRegistry registry, ObjectProvider<ForwardStatus> brokers) {
        return new ForwardMeters(registry, brokers.orderedStream().toList());
    }
}
