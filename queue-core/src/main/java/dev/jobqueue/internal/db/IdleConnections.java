package dev.jobqueue.internal.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;

/** Connections of completed transactions: whether the callbacks that have run since left something open on them. */
final class IdleConnections {

    /**
     * Whether it makes no difference to anybody when the transaction ends now: it has written and locked nothing, no
     * cursor is open, and each of its statements sees what others have committed anyway.
     */
    private static final String HAS_ONLY_READ = """
            SELECT pg_catalog.pg_current_xact_id_if_assigned() IS NULL
                AND pg_catalog.current_setting('transaction_isolation') = 'read committed'
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_cursors WHERE name <> '')
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_locks WHERE pid = pg_catalog.pg_backend_pid()
                    AND (locktype = 'advisory' OR locktype = 'relation' AND mode <> 'AccessShareLock'))""";

    private IdleConnections() {}

    /**
     * Whether the connection is in no transaction. Ends one in which a callback has only read: nobody else would before
     * the connection goes back to the pool.
     */
    static boolean isIdle(Connection connection) {
        return isOutsideOfTransactions(connection) || endReading(connection);
    }

    /** JDBC refuses this call within a transaction, and only there. */
    private static boolean isOutsideOfTransactions(Connection connection) {
        try {
            connection.setReadOnly(connection.isReadOnly());
            return true;
        } catch (SQLException ex) {
            return false;
        }
    }

    private static boolean endReading(Connection connection) {
        try {
            // a question that fails must not make the transaction fail
            Savepoint before = connection.setSavepoint();
            if (!hasOnlyRead(connection, before)) {
                return false;
            }
            connection.commit();
            return true;
        } catch (SQLException ex) {
            return false;
        }
    }

    private static boolean hasOnlyRead(Connection connection, Savepoint before) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery(HAS_ONLY_READ)) {
            boolean onlyRead = results.next() && results.getBoolean(1);
            if (!onlyRead) {
                connection.releaseSavepoint(before);
            }
            return onlyRead;
        } catch (SQLException ex) {
            connection.rollback(before);
            throw ex;
        }
    }
}
