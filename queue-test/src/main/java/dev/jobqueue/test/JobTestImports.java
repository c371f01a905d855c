package dev.jobqueue.test;

import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.autoconfigure.forward.QueueForwardAutoConfiguration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Adds the queue after all other auto-configurations, because it needs their {@code DataSource}: slices leave it out,
 * and a {@code @SpringBootTest} has it already.
 */
final class JobTestImports implements DeferredImportSelector, Ordered {

    @Override
    public String[] selectImports(AnnotationMetadata importing) {
        return new String[] {
            QueueAutoConfiguration.class.getName(),
            QueueForwardAutoConfiguration.class.getName(),
            MissingQueueConfiguration.class.getName(),
            JobTestConfiguration.class.getName()
        };
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
