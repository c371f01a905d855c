package dev.jobqueue.autoconfigure.tracing;

import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.internal.Instrumentation;
import dev.jobqueue.internal.handle.HandlerRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the observations, and so traces, of publishing and handling. */
@AutoConfiguration(
        after = QueueAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ObservationRegistry.class, HandlerRegistry.class})
public final class QueueObservationAutoConfiguration {

    /** Called by Spring. */
    public QueueObservationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    Instrumentation queueInstrumentation(ObservationRegistry registry, HandlerRegistry handlers) {
        return new ObservedInstrumentation(registry, handlers);
    }
}
