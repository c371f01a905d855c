package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.schedule.JobSchedules;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Schedules: the API for all nodes, and what nodes with a worker set at start. */
@Configuration(proxyBeanMethods = false)
class QueueScheduleConfiguration {

    @Bean
    static ScheduleScanner queueScheduleScanner(ConfigurableListableBeanFactory beans) {
        return new ScheduleScanner(beans);
    }

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    JobSchedules jobSchedules(JobQueue queue) {
        return queue.schedules();
    }

    @Bean
    ScheduleSynchronizer queueScheduleSynchronizer(
            QueueProperties properties, ScheduleScanner scanner, JobQueue queue, Environment environment) {
        return new ScheduleSynchronizer(
                properties,
                scanner,
                queue.schedules(),
                ApplicationIdentity.of(environment).name());
    }
}
