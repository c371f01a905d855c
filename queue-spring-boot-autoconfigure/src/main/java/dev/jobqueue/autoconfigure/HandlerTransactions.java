package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.node.NodeResources;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/** The transaction manager of transactional handlers, checked before the first of them runs. */
final class HandlerTransactions {

    private static final Logger log = LoggerFactory.getLogger(HandlerTransactions.class);

    private final QueueDatabase database;
    private final boolean isMarked;
    private final ObjectProvider<DataSource> dataSources;
    private final PlatformTransactionManager manager;
    private final ObjectProvider<DataSourcePoolMetadataProvider> pools;

    /**
     * @param marked the DataSource that the application marked for the queue, if it did
     * @param dataSources all DataSources of the application
     * @param pools tell how many connections the DataSource of the queue has
     */
    HandlerTransactions(
            QueueDatabase database,
            ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> dataSources,
            ObjectProvider<PlatformTransactionManager> managers,
            ObjectProvider<DataSourcePoolMetadataProvider> pools) {
        this.database = database;
        this.isMarked = marked.getIfAvailable() != null;
        this.dataSources = dataSources;
        this.manager = isMarked ? ownManager(database) : managers.getIfUnique(() -> ownManager(database));
        this.pools = pools;
    }

    /** Transactions of the queue's database and of nothing else. */
    static PlatformTransactionManager ownManager(QueueDatabase database) {
        JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
        CallersTransaction.watch(manager);
        return manager;
    }

    PlatformTransactionManager manager() {
        return manager;
    }

    /** Transactions for handlers. Each holds a connection, and some connections must be left for the node. */
    TransactionOperations ofHandlers() {
        TransactionTemplate transactions = new TransactionTemplate(manager);
        return pools.orderedStream()
                .map(pool -> pool.getDataSourcePoolMetadata(database.dataSource()))
                .filter(Objects::nonNull)
                .map(DataSourcePoolMetadata::getMax)
                .filter(size -> size != null && size > 0)
                .findFirst()
                .map(size -> NodeResources.limited(transactions, size))
                .orElse(transactions);
    }

    /**
     * Fails if jobs would not be completed in the transaction of their handler; warns if its writes may not be in it.
     */
    void check(HandlerRegistry handlers) {
        List<String> types = handlers.all().stream()
                .filter(HandlerDefinition::transactional)
                .map(handler -> "'" + handler.type() + "'")
                .sorted()
                .toList();
        if (types.isEmpty()) {
            return;
        }
        if (!includesTheQueue()) {
            throw new InvalidQueueConfigurationException(
                    ("The handlers of %s have transactional = true, but the transaction manager '%s' does not"
                                    + " manage the DataSource of the queue, so that they and their completion would"
                                    + " not commit together.")
                            .formatted(
                                    String.join(", ", types), manager.getClass().getName()),
                    "Mark the DataSource of that transaction manager with @QueueDataSource, make the transaction"
                            + " manager of the queue's DataSource @Primary, or remove transactional = true.");
        }
        if (isMarked && hasOtherDataSource()) {
            log.warn(
                    "Handlers {} are transactional in the queue's own DataSource: what they write to another"
                            + " DataSource of the application does not commit or roll back with them. Let them write"
                            + " through the @QueueDataSource, or remove transactional = true and make them idempotent",
                    types);
        }
    }

    /** Begins a transaction to find out, because managers do not tell which connections they manage. */
    private boolean includesTheQueue() {
        CallersTransaction transaction = database.callersTransaction();
        return Boolean.TRUE.equals(new TransactionTemplate(manager).execute(status -> {
            status.setRollbackOnly();
            return transaction.isOpen();
        }));
    }

    private boolean hasOtherDataSource() {
        return dataSources.stream().map(QueueDatabase::unwrapped).anyMatch(each -> each != database.dataSource());
    }
}
