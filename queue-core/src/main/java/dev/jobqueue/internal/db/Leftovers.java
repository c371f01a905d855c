package dev.jobqueue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction that a handler began by hand and did not end. It would stay on the thread, and the next jobs would take
 * part in it: what they write and publish would never be committed.
 */
public final class Leftovers {

    private static final Logger log = LoggerFactory.getLogger(Leftovers.class);

    private final Map<Object, Object> resources;

    /** Those of the transaction that was open before; {@code null} if there was none. */
    private final @Nullable List<TransactionSynchronization> synchronizations;

    private final @Nullable String name;
    private final boolean readOnly;
    private final @Nullable Integer isolation;
    private final boolean active;

    private Leftovers() {
        this.resources = Map.copyOf(TransactionSynchronizationManager.getResourceMap());
        this.synchronizations = synchronizations();
        this.name = TransactionSynchronizationManager.getCurrentTransactionName();
        this.readOnly = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
        this.isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        this.active = TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** Notes what the calling thread takes part in, before a handler is called. */
    public static Leftovers watch() {
        return new Leftovers();
    }

    /**
     * Calls a handler; if it leaves a transaction open, that is ended, and the call has failed, even if it returned.
     *
     * @param type the type of the job
     * @param id the id of the job
     */
    public static <T extends @Nullable Object> T refuse(String type, UUID id, Callable<T> handler) throws Exception {
        Leftovers leftovers = watch();
        boolean left;
        T result;
        try {
            result = handler.call();
        } finally {
            left = leftovers.remove(type, id);
        }
        if (left) {
            throw new IllegalStateException("The handler left a transaction open on its thread, which was rolled back");
        }
        return result;
    }

    /** At least one: by the first of them the transaction is known again. */
    private static @Nullable List<TransactionSynchronization> synchronizations() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return null;
        }
        if (TransactionSynchronizationManager.getSynchronizations().isEmpty()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {});
        }
        return TransactionSynchronizationManager.getSynchronizations();
    }

    /**
     * Ends what the handler of a job left on the calling thread, which then is in the transaction again that was open
     * before; {@code false} if there was nothing.
     *
     * @param type the type of the job, or of all jobs of a bundle
     * @param id the id of the job, or of one of the bundle
     */
    public boolean remove(String type, UUID id) {
        if (!isLeft()) {
            return false;
        }
        for (Object key :
                Set.copyOf(TransactionSynchronizationManager.getResourceMap().keySet())) {
            if (TransactionSynchronizationManager.unbindResourceIfPossible(key) instanceof ConnectionHolder holder
                    && resources.get(key) != holder) {
                rollBack(holder);
            }
        }
        TransactionSynchronizationManager.clear();
        restore();
        log.error(
                "The handler of '{}' left a transaction open on its thread (job {}): it was rolled back. End what you"
                        + " begin with a TransactionTemplate or @Transactional.",
                type,
                id);
        return true;
    }

    /** What joined the transaction that was open before cannot be told from the rest of it. */
    private boolean isLeft() {
        boolean inScope = TransactionSynchronizationManager.isSynchronizationActive();
        if (synchronizations != null) {
            return inScope
                    && !TransactionSynchronizationManager.getSynchronizations().contains(synchronizations.get(0));
        }
        return inScope
                || TransactionSynchronizationManager.isActualTransactionActive()
                || (resources.isEmpty()
                        && !TransactionSynchronizationManager.getResourceMap().isEmpty());
    }

    /** As a transaction manager resumes what it has suspended. */
    private void restore() {
        if (synchronizations != null) {
            TransactionSynchronizationManager.initSynchronization();
            synchronizations.forEach(each -> {
                each.resume();
                TransactionSynchronizationManager.registerSynchronization(each);
            });
            TransactionSynchronizationManager.setActualTransactionActive(active);
            TransactionSynchronizationManager.setCurrentTransactionName(name);
            TransactionSynchronizationManager.setCurrentTransactionReadOnly(readOnly);
            TransactionSynchronizationManager.setCurrentTransactionIsolationLevel(isolation);
        }
        resources.forEach((key, value) -> {
            if (!TransactionSynchronizationManager.hasResource(key)) {
                TransactionSynchronizationManager.bindResource(key, value);
            }
        });
    }

    private static void rollBack(ConnectionHolder holder) {
        try (Connection connection = holder.getConnection()) {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException | RuntimeException ex) {
            log.warn("A transaction that a handler left open could not be rolled back: {}", ex.toString());
        }
    }
}
