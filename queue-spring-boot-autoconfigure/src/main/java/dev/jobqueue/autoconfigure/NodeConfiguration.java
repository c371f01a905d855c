package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.application.JobQueue;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/** What every kind of node needs: the one with threads, and the one that tests drive by hand. */
@Configuration(proxyBeanMethods = false)
class NodeConfiguration {

    @Bean
    HandlerTransactions queueHandlerTransactions(
            QueueDatabase database,
            @QueueDataSource ObjectProvider<DataSource> chosenDataSource,
            ObjectProvider<DataSource> dataSources,
            ObjectProvider<PlatformTransactionManager> transactionManagers,
            ObjectProvider<DataSourcePoolMetadataProvider> pools) {
        return new HandlerTransactions(database, chosenDataSource, dataSources, transactionManagers, pools);
    }

    /** What is checked and stored before the node starts. */
    @Bean
    NodePreparation queueNodePreparation(
            QueueProperties properties,
            Environment environment,
            JobQueue queue,
            HandlerTransactions transactions,
            ScheduleSynchronizer schedules) {
        return new NodePreparation(properties, environment, queue, transactions, schedules);
    }
}
