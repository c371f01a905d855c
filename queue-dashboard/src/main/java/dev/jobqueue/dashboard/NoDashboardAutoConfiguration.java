package dev.jobqueue.dashboard;

import dev.jobqueue.operate.JobOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;

/** Says at start that there is no dashboard for an application with WebFlux, rather than leaving its user to wonder. */
@AutoConfiguration(afterName = "dev.jobqueue.autoconfigure.QueueAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnBean(JobOperations.class)
@ConditionalOnBooleanProperty(name = "queue.dashboard.enabled", matchIfMissing = true)
public final class NoDashboardAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(NoDashboardAutoConfiguration.class);

    /** Called by Spring. */
    public NoDashboardAutoConfiguration() {
        log.warn("The dashboard of the job queue is not served: it needs Spring MVC, and this application uses WebFlux."
                + " Set queue.dashboard.enabled=false or remove queue-dashboard, and use the actuator endpoint"
                + " 'queues'");
    }
}
