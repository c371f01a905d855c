package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.spi.JobInterceptor;
import dev.jobqueue.spi.JobListener;
import dev.jobqueue.spi.NodeMeter;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/** Auto-configuration of the job queue for an application with a {@link DataSource}. */
@AutoConfiguration(
        after = DataSourceAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
        })
@ConditionalOnBean(DataSource.class)
@ConditionalOnBooleanProperty(name = "queue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(QueueProperties.class)
@Import({
    DatabaseInitializationDependencyConfigurer.class,
    QueueScheduleConfiguration.class,
    QueueWorkerConfiguration.class
})
public final class QueueAutoConfiguration {

    /** Called by Spring. */
    public QueueAutoConfiguration() {}

    @Bean
    QueueDatabase queueDatabase(
            @QueueDataSource ObjectProvider<DataSource> chosen,
            ObjectProvider<DataSource> dataSource,
            QueueProperties properties,
            Environment environment) {
        UnknownProperties.check(environment);
        DataSource source = chosen.getIfAvailable();
        return new QueueDatabase(
                source != null ? source : dataSource.getObject(),
                new Schema(properties.schema().name()));
    }

    @Bean
    static TransactionManagerWatcher queueTransactionManagerWatcher() {
        return new TransactionManagerWatcher();
    }

    @Bean
    QueueMigrator queueMigrator(QueueDatabase database, QueueProperties properties) {
        return new QueueMigrator(
                database, properties.schema().migrate(), properties.worker().enabled());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    HandlerRegistry queueHandlerRegistry() {
        return new HandlerRegistry();
    }

    @Bean
    static HandlerScanner queueHandlerScanner(
            ConfigurableListableBeanFactory beans, HandlerRegistry registry, ObjectProvider<Json> json) {
        return new HandlerScanner(beans, registry, json);
    }

    /** Does not use the mapper of the web: jobs must stay readable when the settings of that mapper change. */
    @Bean
    Json queueJson(@QueueJsonMapper ObjectProvider<JsonMapper> mapper) {
        return new Json(mapper.getIfAvailable(Json::defaultMapper));
    }

    @Bean
    QueueExtensions queueExtensions(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<NodeMeter> meters,
            ObjectProvider<JobListener> listeners,
            ObjectProvider<JobInterceptor> interceptors) {
        return new QueueExtensions(beans, meters.orderedStream().toList(), listeners, interceptors);
    }

    /** The queue itself: the other beans are made from it. */
    @Bean(initMethod = "start", destroyMethod = "close")
    JobQueue queueJobQueue(
            QueueDatabase database,
            HandlerRegistry handlers,
            Json json,
            QueueExtensions extensions,
            QueueProperties properties) {
        return new JobQueue(
                new Application(database.database(), handlers, json, extensions.all()),
                properties.publisher().notifyInTransaction());
    }

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    JobPublisher jobPublisher(JobQueue queue, QueueProperties properties) {
        return queue.publisher(properties.publisher().requireTransaction());
    }

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    JobOperations jobOperations(JobQueue queue, QueueProperties properties) {
        return queue.operations(properties.worker().ttl(), properties.metrics().countLimit());
    }

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    JobAudit jobAudit(JobQueue queue) {
        return queue.audit();
    }

    @Bean
    @ConditionalOnBooleanProperty("queue.publisher.events")
    JobEvents queueJobEvents(ObjectProvider<JobPublisher> jobs) {
        return new JobEvents(jobs);
    }
}
