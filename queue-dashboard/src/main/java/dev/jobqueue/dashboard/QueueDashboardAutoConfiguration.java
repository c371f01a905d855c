package dev.jobqueue.dashboard;

import dev.jobqueue.operate.JobOperations;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.web.servlet.DispatcherServlet;

/** Auto-configuration of the dashboard for an application with Spring MVC. */
@AutoConfiguration(afterName = "dev.jobqueue.autoconfigure.QueueAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean(JobOperations.class)
@ConditionalOnBooleanProperty(name = "queue.dashboard.enabled", matchIfMissing = true)
@EnableConfigurationProperties(QueueDashboardProperties.class)
public final class QueueDashboardAutoConfiguration {

    /** Called by Spring. */
    public QueueDashboardAutoConfiguration() {}
}
