package dev.jobqueue.autoconfigure.modulith;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.internal.application.JobQueue;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.BrokerRouting;

/** Auto-configuration of the queue as the transport of Spring Modulith's externalized events. */
@AutoConfiguration(
        after = QueueAutoConfiguration.class,
        afterName = "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration")
@ConditionalOnClass({EventExternalizationConfiguration.class, BrokerRouting.class})
@ConditionalOnBean({JobQueue.class, EventExternalizationConfiguration.class})
@ConditionalOnProperty("queue.forward.modulith")
public final class QueueModulithAutoConfiguration {

    /** Called by Spring. */
    public QueueModulithAutoConfiguration() {}

    @Bean
    ModulithEvents queueModulithEvents(
            ObjectProvider<JobPublisher> jobs,
            EventExternalizationConfiguration events,
            QueueProperties properties,
            BeanFactory beans) {
        return new ModulithEvents(
                jobs, events, Objects.requireNonNull(properties.forward().modulith()), beans);
    }
}
