package dev.jobqueue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Savepoints in the caller's transaction. They are set on its connection and not by a transaction manager, because the
 * manager of JPA refuses savepoints by default.
 */
public final class Savepoints {

    private final DataSource dataSource;
    private final CallersTransaction transaction;

    public Savepoints(DataSource dataSource) {
        this.dataSource = dataSource;
        this.transaction = new CallersTransaction(dataSource);
    }

    /** A savepoint in the open transaction; {@code null} if none is open. */
    public @Nullable Mark set() {
        if (!transaction.isOpen()) {
            return null;
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return new Mark(connection, connection.setSavepoint());
        } catch (SQLException ex) {
            throw new TransactionSystemException("Cannot set a savepoint", ex);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    private ConnectionHolder holder() {
        return (ConnectionHolder) Objects.requireNonNull(
                TransactionSynchronizationManager.getResource(dataSource), "the transaction has ended");
    }

    /** One savepoint. */
    public final class Mark {

        private final Connection connection;
        private final Savepoint savepoint;

        private Mark(Connection connection, Savepoint savepoint) {
            this.connection = connection;
            this.savepoint = savepoint;
        }

        /**
         * Keeps what was written since.
         *
         * @return {@code false} if it cannot be kept: a statement failed, or a scope within the transaction rolled back
         */
        public boolean keep() {
            if (holder().isRollbackOnly()) {
                return false;
            }
            try {
                connection.releaseSavepoint(savepoint);
                return true;
            } catch (SQLException ex) {
                return false;
            }
        }

        /** Takes back what was written since; the transaction goes on. */
        public void rollBack() {
            try {
                connection.rollback(savepoint);
                connection.releaseSavepoint(savepoint);
                holder().resetRollbackOnly();
            } catch (SQLException ex) {
                throw new TransactionSystemException("Cannot roll back to a savepoint", ex);
            }
        }
    }
}
