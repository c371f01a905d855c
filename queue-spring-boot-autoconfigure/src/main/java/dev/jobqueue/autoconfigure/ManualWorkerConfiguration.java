package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Instrumentation;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.node.ManualNode;
import dev.jobqueue.internal.node.NodeResources;
import dev.jobqueue.internal.node.NodeSettings;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.spi.ManualWorker;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A {@link ManualWorker} instead of the worker of this node; for who imports it, such as the test kit. */
@Configuration(proxyBeanMethods = false)
public class ManualWorkerConfiguration {

    /** Called by Spring. */
    public ManualWorkerConfiguration() {}

    @Bean
    @DependsOnDatabaseInitialization
    ManualWorkerLifecycle queueManualWorkerLifecycle(
            QueueProperties properties,
            QueueDatabase database,
            HandlerRegistry handlers,
            Json json,
            JobPublisher publisher,
            ScheduleSynchronizer schedules,
            @QueueDataSource ObjectProvider<DataSource> chosenDataSource,
            ObjectProvider<DataSource> dataSources,
            ObjectProvider<PlatformTransactionManager> transactionManagers,
            ObjectProvider<QueueEvents> events,
            ObjectProvider<Instrumentation> instrumentation,
            Environment environment) {
        HandlerTransactions handlerTransactions =
                new HandlerTransactions(database, chosenDataSource, dataSources, transactionManagers);
        return new ManualWorkerLifecycle(() -> {
            handlerTransactions.check(handlers);
            NodeSettings settings = QueueWorkerConfiguration.settings(properties, database, handlers, environment);
            String owner = Objects.requireNonNullElse(settings.application(), SettingsSynchronizer.NAMELESS);
            new SettingsSynchronizer(properties, handlers, new OperateCalls(database.joining(), owner)).synchronize();
            schedules.synchronize();
            TransactionTemplate transactions = new TransactionTemplate(handlerTransactions.manager());
            return new ManualNode(
                    settings,
                    handlers,
                    new NodeResources(database.dataSource(), transactions, json, publisher, Thread::new, null),
                    transactions,
                    events.getIfAvailable(() -> QueueEvents.NONE),
                    instrumentation.getIfAvailable(() -> Instrumentation.NONE));
        });
    }

    @Bean
    @Lazy
    ManualWorker queueManualWorker(ManualWorkerLifecycle lifecycle) {
        return lifecycle.worker();
    }
}
