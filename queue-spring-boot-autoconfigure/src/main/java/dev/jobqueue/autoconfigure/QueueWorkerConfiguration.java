package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.internal.node.NodeResources;
import java.util.Properties;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** The worker of this node; left out where a node only publishes. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "queue.worker.enabled", matchIfMissing = true)
@Import(NodeConfiguration.class)
class QueueWorkerConfiguration {

    /** What the node gets from the application. */
    @Bean
    NodeResources queueNodeResources(
            QueueProperties properties,
            QueueDatabase database,
            HandlerTransactions transactions,
            JobPublisher publisher,
            Environment environment) {
        return new NodeResources(
                transactions.ofHandlers(),
                publisher,
                threads(environment),
                properties.listener().enabled() ? listenerConnections(database.dataSource())::getConnection : null);
    }

    @Bean
    @DependsOnDatabaseInitialization
    WorkerLifecycle queueWorkerLifecycle(
            JobQueue queue, NodePreparation preparation, ObjectProvider<NodeResources> resources) {
        return new WorkerLifecycle(queue, () -> queue.startNode(preparation.prepare(), resources.getObject()));
    }

    private static ThreadFactory threads(Environment environment) {
        return Threading.VIRTUAL.isActive(environment)
                ? new VirtualThreadTaskExecutor("queue-job-").getVirtualThreadFactory()
                : new CustomizableThreadFactory("queue-job-");
    }

    /** A listener keeps its connection for ever, so it must not come from the pool. */
    static DataSource listenerConnections(DataSource dataSource) {
        DataSource unpooled = unpooled(dataSource);
        return unpooled != null ? unpooled : dataSource;
    }

    private static @Nullable DataSource unpooled(DataSource dataSource) {
        try {
            SimpleDriverDataSource unpooled = DataSourceBuilder.derivedFrom(dataSource)
                    .type(SimpleDriverDataSource.class)
                    .build();
            Properties defaults = new Properties();
            // defaults of the driver, which the URL may override: no pool watches how long this connection takes
            defaults.setProperty("connectTimeout", "10");
            defaults.setProperty("socketTimeout", "10");
            defaults.setProperty("tcpKeepAlive", "true");
            unpooled.setConnectionProperties(defaults);
            return unpooled;
        } catch (RuntimeException ex) {
            // Boot does not know this kind of DataSource
            return null;
        }
    }
}
