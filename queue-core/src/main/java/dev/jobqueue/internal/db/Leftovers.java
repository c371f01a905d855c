package dev.jobqueue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction that a handler began by hand and did not end. It would stay on the thread, and the next jobs would take
 * part in it: what they write and publish would never be committed.
 */
public final class Leftovers {

    private static final Logger log = LoggerFactory.getLogger(Leftovers.class);

    private Leftovers() {}

    /** Whether the calling thread is in no transaction. */
    public static boolean isClean() {
        return TransactionSynchronizationManager.getResourceMap().isEmpty()
                && !TransactionSynchronizationManager.isSynchronizationActive()
                && !TransactionSynchronizationManager.isActualTransactionActive();
    }

    /**
     * Ends and removes what the handler of a job left on the calling thread; {@code false} if there was nothing.
     *
     * @param type the type of the job, or of all jobs of a batch
     * @param id the id of the job, or of one of the batch
     */
    public static boolean remove(String type, UUID id) {
        Map<Object, Object> resources = TransactionSynchronizationManager.getResourceMap();
        if (isClean()) {
            return false;
        }
        for (Object key : Set.copyOf(resources.keySet())) {
            if (TransactionSynchronizationManager.unbindResourceIfPossible(key) instanceof ConnectionHolder holder) {
                rollBack(holder);
            }
        }
        TransactionSynchronizationManager.clear();
        log.error(
                "The handler of '{}' left a transaction open on its thread (job {}): it was rolled back. End what you"
                        + " begin with a TransactionTemplate or @Transactional.",
                type,
                id);
        return true;
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
