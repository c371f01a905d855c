package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.internal.node.NodeSettings;
import dev.jobqueue.spi.ManualWorker;
import java.util.Objects;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** A {@link ManualWorker} instead of the worker of this node; for who imports it, such as the test kit. */
@Configuration(proxyBeanMethods = false)
@Import(NodeConfiguration.class)
public class ManualWorkerConfiguration {

    /** Called by Spring. */
    public ManualWorkerConfiguration() {}

    @Bean
    @DependsOnDatabaseInitialization
    ManualWorkerLifecycle queueManualWorkerLifecycle(
            JobQueue queue,
            QueueDatabase database,
            NodePreparation preparation,
            HandlerTransactions handlerTransactions,
            JobPublisher publisher) {
        return new ManualWorkerLifecycle(
                () -> prepare(
                        preparation,
                        new TransactionTemplate(handlerTransactions.manager()),
                        new JdbcTemplate(database.dataSource())),
                settings -> queue.manualWorker(
                        settings, new TransactionTemplate(handlerTransactions.manager()), publisher));
    }

    /** Waits for no lock for long: whoever holds one may be waiting for this application context to start. */
    private static NodeSettings prepare(
            NodePreparation preparation, TransactionTemplate transactions, JdbcTemplate jdbc) {
        try {
            return Objects.requireNonNull(transactions.execute(status -> {
                jdbc.execute("SET LOCAL lock_timeout = '20s'");
                return preparation.prepare();
            }));
        } catch (RuntimeException ex) {
            if (DatabaseErrors.isLocked(ex)) {
                throw new IllegalStateException(
                        "A test that runs at the same time has fired a schedule that this application context defines"
                                + " differently. Let the two use different databases, or not run in parallel.",
                        ex);
            }
            throw ex;
        }
    }

    @Bean
    @Lazy
    ManualWorker queueManualWorker(ManualWorkerLifecycle lifecycle) {
        return lifecycle.worker();
    }
}
