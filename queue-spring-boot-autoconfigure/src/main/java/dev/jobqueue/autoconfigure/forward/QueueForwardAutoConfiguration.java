package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.Forwarded;
import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.spi.JobInterceptor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration of messages for brokers: publishing them needs no broker, sending them does. */
@AutoConfiguration(
        after = QueueAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration"
        })
@ConditionalOnBean(JobQueue.class)
@Import({KafkaForwardConfiguration.class, RabbitForwardConfiguration.class, UndecidedBrokers.class})
public final class QueueForwardAutoConfiguration {

    /** Called by Spring. */
    public QueueForwardAutoConfiguration() {}

    /** Outside of all others, which so know the type of each job: {@link Forwarded} payloads have none before. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    JobInterceptor queueForwardedInterceptor(Json json) {
        return new ForwardedInterceptor(json);
    }
}
