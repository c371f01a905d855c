package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.spi.ManualWorker;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.support.TransactionTemplate;

/** Makes a {@link ManualWorker} instead of the worker of this node. The test kit imports it. */
@Configuration(proxyBeanMethods = false)
@Import(NodeConfiguration.class)
public class ManualWorkerConfiguration {

    /** Called by Spring. */
    public ManualWorkerConfiguration() {}

    @Bean
    @DependsOnDatabaseInitialization
    ManualWorkerLifecycle queueManualWorkerLifecycle(
            JobQueue queue,
            NodePreparation preparation,
            HandlerTransactions handlerTransactions,
            JobPublisher publisher) {
        return new ManualWorkerLifecycle(
                preparation::prepare,
                settings -> queue.manualWorker(
                        settings, new TransactionTemplate(handlerTransactions.manager()), publisher));
    }

    @Bean
    @Lazy
    ManualWorker queueManualWorker(ManualWorkerLifecycle lifecycle) {
        return lifecycle.worker();
    }
}
