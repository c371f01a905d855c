package dev.jobqueue.autoconfigure.health;

import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.internal.node.NodeOutages;
import dev.jobqueue.internal.node.RunningNode;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.internal.publish.WakeUps;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health of the queue. */
@AutoConfiguration(after = QueueAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(FigureReader.class)
@ConditionalOnEnabledHealthIndicator("queue")
public final class QueueHealthAutoConfiguration {

    /** Called by Spring. */
    public QueueHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "queueHealthIndicator")
    QueueHealthIndicator queueHealthIndicator(
            FigureReader figures,
            ObjectProvider<RunningNode> worker,
            NodeOutages outages,
            ObjectProvider<WakeUps> wakeUps,
            QueueProperties properties) {
        return new QueueHealthIndicator(
                figures,
                worker.getIfAvailable(() -> () -> null),
                outages,
                () -> wakeUps.stream().map(WakeUps::loop).toList(),
                properties);
    }
}
