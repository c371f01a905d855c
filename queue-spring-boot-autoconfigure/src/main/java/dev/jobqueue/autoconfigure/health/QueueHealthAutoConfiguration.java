package dev.jobqueue.autoconfigure.health;

import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import dev.jobqueue.autoconfigure.forward.QueueForwardAutoConfiguration;
import dev.jobqueue.internal.application.JobQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health of the queue. */
@AutoConfiguration(after = {QueueAutoConfiguration.class, QueueForwardAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(JobQueue.class)
@ConditionalOnEnabledHealthIndicator("queue")
public final class QueueHealthAutoConfiguration {

    /** Called by Spring. */
    public QueueHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "queueHealthIndicator")
    QueueHealthIndicator queueHealthIndicator(
            JobQueue queue, ObjectProvider<ForwardStatus> brokers, QueueProperties properties) {
        return new QueueHealthIndicator(
                queue.figures(), queue::status, brokers.orderedStream().toList(), properties);
    }
}
