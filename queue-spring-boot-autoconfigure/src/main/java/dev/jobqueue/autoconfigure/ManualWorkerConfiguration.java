package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.node.ManualNode;
import dev.jobqueue.internal.node.NodeResources;
import dev.jobqueue.spi.ManualWorker;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.support.TransactionTemplate;

/** A {@link ManualWorker} instead of the worker of this node; for who imports it, such as the test kit. */
@Configuration(proxyBeanMethods = false)
@Import(NodeConfiguration.class)
public class ManualWorkerConfiguration {

    /** Called by Spring. */
    public ManualWorkerConfiguration() {}

    /** Seven parameters, because it wires what the application has to what a node needs. */
    @Bean
    @DependsOnDatabaseInitialization
    ManualWorkerLifecycle queueManualWorkerLifecycle(
            NodePreparation preparation,
            QueueDatabase database,
            HandlerRegistry handlers,
            HandlerTransactions handlerTransactions,
            Json json,
            JobPublisher publisher,
            QueueExtensions extensions) {
        return new ManualWorkerLifecycle(preparation::prepare, settings -> {
            TransactionTemplate transactions = new TransactionTemplate(handlerTransactions.manager());
            return new ManualNode(
                    settings,
                    handlers,
                    new NodeResources(database.dataSource(), transactions, json, publisher, Thread::new, null),
                    transactions,
                    extensions.events(),
                    extensions.interceptors());
        });
    }

    @Bean
    @Lazy
    ManualWorker queueManualWorker(ManualWorkerLifecycle lifecycle) {
        return lifecycle.worker();
    }
}
