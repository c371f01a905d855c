package dev.jobqueue.internal.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transactions of the queue's own, one for each call. They are READ COMMITTED and READ WRITE, whatever the connections
 * of the pool begin with: under another isolation, calls that meet each other fail with 40001.
 */
final class OwnTransactions {

    private final DataSource dataSource;

    /** What transactions begin with: a matter of the pool and the role, looked at once. */
    private volatile @Nullable Defaults defaults;

    OwnTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** Whether a call of this thread needs no connection of the pool, because the thread keeps one that is idle. */
    boolean hasConnection() {
        return CallersTransaction.idleConnection(dataSource) != null;
    }

    <T> T run(Sql.Work<T> work) throws SQLException {
        Connection idle = CallersTransaction.idleConnection(dataSource);
        if (idle != null) {
            return runOnIdle(idle, work);
        }
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            if (defaults(connection).areOurs()) {
                return run(connection, work, !autoCommit);
            }
            connection.setAutoCommit(false);
            try {
                return run(connection, asOurs(work), true);
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    /** On the connection of a completed transaction, which may have been read-only or of another isolation. */
    private <T> T runOnIdle(Connection idle, Sql.Work<T> work) throws SQLException {
        boolean readOnly = idle.isReadOnly();
        if (readOnly) {
            idle.setReadOnly(false);
        }
        try {
            return runOnWritable(idle, work);
        } finally {
            if (readOnly) {
                idle.setReadOnly(true);
            }
        }
    }

    private <T> T runOnWritable(Connection idle, Sql.Work<T> work) throws SQLException {
        boolean usual = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel() == null
                && defaults(idle).areOurs();
        boolean autoCommit = idle.getAutoCommit();
        idle.setAutoCommit(usual);
        try {
            return usual ? run(idle, work, false) : run(idle, asOurs(work), true);
        } finally {
            idle.setAutoCommit(autoCommit);
        }
    }

    private static <T> T run(Connection connection, Sql.Work<T> work, boolean committing) throws SQLException {
        try {
            T result = work.run(connection);
            if (committing) {
                connection.commit();
            }
            return result;
        } catch (SQLException | RuntimeException | Error ex) {
            if (committing) {
                connection.rollback();
            }
            throw ex;
        }
    }

    /** By a statement of the transaction: the driver would set that of the session, which a pooler gives to others. */
    private static <T> Sql.Work<T> asOurs(Sql.Work<T> work) {
        return connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE");
            }
            return work.run(connection);
        };
    }

    /** Whether the transactions of this database are READ COMMITTED, unless somebody says otherwise. */
    boolean beginsReadCommitted(Connection connection) throws SQLException {
        return defaults(connection).readCommitted();
    }

    private Defaults defaults(Connection connection) throws SQLException {
        Defaults known = defaults;
        if (known == null) {
            known = new Defaults(
                    shows(connection, "default_transaction_isolation", "read committed"),
                    shows(connection, "default_transaction_read_only", "off"));
            defaults = known;
        }
        return known;
    }

    /** By SHOW: after a SELECT, the transaction could not become what it should be any more. */
    private static boolean shows(Connection connection, String setting, String value) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery("SHOW " + setting)) {
            return results.next() && results.getString(1).equals(value);
        }
    }

    private record Defaults(boolean readCommitted, boolean writable) {

        boolean areOurs() {
            return readCommitted && writable;
        }
    }
}
