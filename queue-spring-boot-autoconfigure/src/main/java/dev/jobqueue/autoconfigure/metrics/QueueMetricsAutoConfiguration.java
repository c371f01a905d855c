package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.node.NodeOutages;
import dev.jobqueue.internal.node.RunningNode;
import dev.jobqueue.internal.operate.FigureReader;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of the queue. */
@AutoConfiguration(
        after = QueueAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, FigureReader.class})
@ConditionalOnBooleanProperty(name = "queue.metrics.enabled", matchIfMissing = true)
public final class QueueMetricsAutoConfiguration {

    /** Called by Spring. */
    public QueueMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    QueueEvents queueMeters(MeterRegistry registry, QueueProperties properties) {
        return new QueueMeters(registry, properties.metrics().histograms());
    }

    @Bean
    OutageGauges queueOutageGauges(MeterRegistry registry, NodeOutages outages) {
        return new OutageGauges(registry, outages);
    }

    @Bean
    FigureGauges queueFigureGauges(
            MeterRegistry registry,
            FigureReader figures,
            ObjectProvider<RunningNode> worker,
            QueueProperties properties) {
        return new FigureGauges(registry, figures, worker.getIfAvailable(() -> () -> null), properties);
    }
}
