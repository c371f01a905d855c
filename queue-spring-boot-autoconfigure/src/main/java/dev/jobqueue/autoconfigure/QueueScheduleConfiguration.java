package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.schedule.QueueSchedules;
import dev.jobqueue.internal.schedule.ScheduleCalls;
import dev.jobqueue.schedule.JobSchedules;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** ScheduleCalls: the API for all nodes, and what nodes with a worker set at start. */
@Configuration(proxyBeanMethods = false)
class QueueScheduleConfiguration {

    @Bean
    static ScheduleScanner queueScheduleScanner(ConfigurableListableBeanFactory beans) {
        return new ScheduleScanner(beans);
    }

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    JobSchedules jobSchedules(
            QueueDatabase database, HandlerRegistry handlers, Json json, ObjectProvider<WorkerLifecycle> worker) {
        return schedules(database, handlers, json, worker);
    }

    @Bean
    ScheduleSynchronizer queueScheduleSynchronizer(
            QueueProperties properties,
            ScheduleScanner scanner,
            QueueDatabase database,
            HandlerRegistry handlers,
            Json json,
            ObjectProvider<WorkerLifecycle> worker,
            Environment environment) {
        return new ScheduleSynchronizer(
                properties,
                scanner,
                handlers,
                schedules(database, handlers, json, worker),
                json,
                ApplicationIdentity.of(environment).name());
    }

    private static QueueSchedules schedules(
            QueueDatabase database, HandlerRegistry handlers, Json json, ObjectProvider<WorkerLifecycle> worker) {
        return new QueueSchedules(
                new ScheduleCalls(database.joining()),
                handlers,
                json,
                () -> worker.ifAvailable(WorkerLifecycle::wakeScheduler),
                () -> worker.ifAvailable(WorkerLifecycle::wakeAll));
    }
}
