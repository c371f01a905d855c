package dev.jobqueue.dashboard;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.schedule.JobSchedules;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.AbstractHandlerMethodMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/** Auto-configuration of the dashboard for an application with Spring MVC. */
@AutoConfiguration(
        afterName = {
            "dev.jobqueue.autoconfigure.QueueAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration"
        })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean({JobOperations.class, JobAudit.class})
@ConditionalOnBooleanProperty(name = "queue.dashboard.enabled", matchIfMissing = true)
@EnableConfigurationProperties(QueueDashboardProperties.class)
@ImportRuntimeHints(DashboardHints.class)
public final class QueueDashboardAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(QueueDashboardAutoConfiguration.class);

    /** Before the mappings of the application: a controller for all paths would take ours, too. */
    private static final int ORDER = -50;

    /** Called by Spring. */
    public QueueDashboardAutoConfiguration() {}

    @Bean
    Overview queueDashboardOverview(
            JobOperations operations, ObjectProvider<JobSchedules> schedules, QueueDashboardProperties properties) {
        return new Overview(operations, schedules.getIfAvailable(), properties.refresh());
    }

    @Bean
    JobViews queueDashboardJobs(JobOperations operations, QueueDashboardProperties properties) {
        return new JobViews(operations, masks(properties));
    }

    @Bean
    LiveStreams queueDashboardStreams(Overview overview, JobViews jobs, QueueDashboardProperties properties) {
        return new LiveStreams(overview, jobs, properties.refresh());
    }

    @Bean
    RecentAnswers queueDashboardAnswers(QueueDashboardProperties properties) {
        return new RecentAnswers(properties.refresh());
    }

    @Bean
    BulkTasks queueDashboardTasks(JobOperations operations, JobAudit audit, Overview overview, RecentAnswers answers) {
        return new BulkTasks(operations, audit, () -> {
            overview.forget();
            answers.forget();
        });
    }

    @Bean
    Publishing queueDashboardPublishing(
            ObjectProvider<JobPublisher> publisher,
            JobAudit audit,
            Overview overview,
            QueueDashboardProperties properties) {
        return new Publishing(properties.publish() ? publisher.getIfAvailable() : null, audit, overview);
    }

    @Bean
    Recorder queueDashboardRecorder(JobAudit audit, Overview overview) {
        return new Recorder(audit, overview);
    }

    @Bean
    Actions queueDashboardActions(JobOperations operations, ObjectProvider<JobSchedules> schedules, Recorder recorder) {
        return new Actions(operations, schedules.getIfAvailable(), recorder);
    }

    @Bean
    Limits queueDashboardLimits(JobOperations operations, Recorder recorder) {
        return new Limits(operations.limits(), recorder);
    }

    @Bean
    Flows queueDashboardFlows(JobOperations operations, JobViews jobs, Recorder recorder) {
        return new Flows(operations, jobs, recorder);
    }

    @Bean
    OtherViews queueDashboardViews(
            JobOperations operations,
            ObjectProvider<JobSchedules> schedules,
            JobAudit audit,
            QueueDashboardProperties properties) {
        return new OtherViews(operations, schedules.getIfAvailable(), audit, masks(properties));
    }

    private static Masks masks(QueueDashboardProperties properties) {
        return new Masks(
                properties.mask(), Math.toIntExact(properties.maxShown().toBytes()));
    }

    /** Whoever comes in through Spring Security is told apart by roles; else only this machine is served. */
    @Bean
    Access queueDashboardAccess(BeanFactory beans, QueueDashboardProperties properties) {
        if (beans.containsBean("springSecurityFilterChain")) {
            return new RoleAccess(properties.viewRole(), properties.actRole(), properties.readOnly());
        }
        log.info(
                "The dashboard of the job queue at '{}' serves this machine only, as there is no Spring Security",
                properties.path());
        return new LoopbackAccess(properties.hosts(), properties.readOnly());
    }

    @Bean
    Completion queueDashboardCompletion(JobOperations operations, Overview overview) {
        return new Completion(operations, overview);
    }

    @Bean
    Api queueDashboardApi(
            Access access,
            QueueDashboardProperties properties,
            RecentAnswers answers,
            ObjectProvider<Endpoints> endpoints) {
        return new Api(access, properties, answers, endpoints.stream());
    }

    @Bean
    PathCheck queueDashboardPathCheck(
            QueueDashboardProperties properties,
            ObjectProvider<AbstractHandlerMethodMapping<RequestMappingInfo>> controllers,
            ObjectProvider<AbstractUrlHandlerMapping> others) {
        return new PathCheck(properties.path(), controllers, others);
    }

    /** A mapping of its own, which neither interceptors nor CORS settings of the application apply to. */
    @Bean
    SimpleUrlHandlerMapping queueDashboardMapping(
            QueueDashboardProperties properties, Access access, Api api, LiveStreams streams) {
        DashboardHandler handler = new DashboardHandler(properties.path(), access, new Assets(), api, streams);
        return new SimpleUrlHandlerMapping(
                Map.of(properties.path(), handler, properties.path() + "/**", handler), ORDER);
    }
}
