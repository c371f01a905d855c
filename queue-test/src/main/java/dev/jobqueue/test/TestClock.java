package dev.jobqueue.test;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The clock of the tests of one application context: that of the machine plus an offset. Connections carry the offset
 * in a setting of their session, where the clock in the queue's schema finds it.
 */
final class TestClock extends Clock {

    /** The setting of a session that holds the offset. */
    static final String SETTING = "queue_test.offset";

    private static final String SET = "SELECT set_config('" + SETTING + "', ?, false)";

    /** The connections of the pool that were ever given an offset: the others have none. */
    private final Set<PGConnection> touched =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private volatile Duration offset = Duration.ZERO;

    Duration offset() {
        return offset;
    }

    void offset(Duration changed) {
        offset = changed;
    }

    /** Lets the session of this connection see the offset, if it is one of PostgreSQL: others know no such setting. */
    void applyTo(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            return;
        }
        // not what Connection.class is unwrapped to: proxies give themselves, another one each time
        PGConnection physical = connection.unwrap(PGConnection.class);
        Duration now = offset;
        if (now.isZero() && !touched.contains(physical)) {
            return;
        }
        touched.add(physical);
        try (PreparedStatement statement = connection.prepareStatement(SET)) {
            statement.setString(1, "%d seconds %d microseconds".formatted(now.toSeconds(), now.toNanosPart() / 1_000));
            statement.execute();
        }
    }

    /** Applies the time to a connection from a pool. If it does not commit by itself, nothing may have begun. */
    void applyToNew(Connection connection) throws SQLException {
        boolean begins = !connection.getAutoCommit() && isIdle(connection);
        applyTo(connection);
        if (begins) {
            connection.commit();
        }
    }

    /** JDBC refuses this call within a transaction, and only there. */
    private static boolean isIdle(Connection connection) {
        try {
            connection.setReadOnly(connection.isReadOnly());
            return true;
        } catch (SQLException ex) {
            return false;
        }
    }

    /** Applies the time to the connection of the calling thread's transaction, if there is one. */
    void applyToTransaction(DataSource dataSource) {
        if (!TransactionSynchronizationManager.hasResource(dataSource)) {
            return;
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            applyTo(connection);
        } catch (SQLException ex) {
            throw new TransactionSystemException("Cannot set the clock of the transaction", ex);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    @Override
    public Instant instant() {
        return Instant.now().plus(offset);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        TestClock clock = this;
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return zone;
            }

            @Override
            public Clock withZone(ZoneId other) {
                return clock.withZone(other);
            }

            @Override
            public Instant instant() {
                return clock.instant();
            }
        };
    }
}
