package dev.jobqueue.autoconfigure.tracing;

import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.spi.JobInterceptor;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration of the observations, and so traces, of publishing and handling. */
@AutoConfiguration(
        after = QueueAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ObservationRegistry.class, HandlerRegistry.class})
public final class QueueObservationAutoConfiguration {

    /** Called by Spring. */
    public QueueObservationAutoConfiguration() {}

    /** Around the interceptors of the application, so that what they do and throw belongs to the trace. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE + 1_000)
    JobInterceptor queueObservedInterceptor(ObservationRegistry registry, HandlerRegistry handlers) {
        return new ObservedInterceptor(registry, handlers);
    }
}
