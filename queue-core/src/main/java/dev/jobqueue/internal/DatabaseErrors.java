package dev.jobqueue.internal;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.function.Predicate;

/** What an exception tells of the database. */
public final class DatabaseErrors {

    /**
     * Classes of SQLSTATE that are nobody's fault: connection lost, login refused, database or schema gone, rights or
     * functions missing, resources exhausted, server shutting down, system error. The statements of the queue are constant,
     * so that a missing right or function is not the fault of a job either.
     */
    private static final Set<String> AWAY_CLASSES = Set.of("08", "28", "3D", "3F", "42", "53", "57", "58");

    /** A standby that cannot write, and a full queue of notifications. */
    private static final Set<String> AWAY = Set.of("25006", "54000");

    /** A statement that was cancelled: it may have been too much for its timeout. */
    private static final String CANCELLED = "57014";

    private static final String LOCKED = "55P03";

    /** Serialization failure, deadlock. */
    private static final String CONFLICT_CLASS = "40";

    private static final int MAX_CAUSES = 20;

    private DatabaseErrors() {}

    /** Whether the database does not answer, or not as it should: the same call may succeed when it is back. */
    public static boolean isAway(Throwable thrown) {
        return any(thrown, DatabaseErrors::isAway);
    }

    /** Whether somebody else holds a lock. */
    public static boolean isLocked(Throwable thrown) {
        return any(thrown, ex -> LOCKED.equals(ex.getSQLState()));
    }

    /** Whether others were in the way, or the call was too much at once: it may succeed later, or in parts. */
    public static boolean isBusy(Throwable thrown) {
        return any(thrown, ex -> {
            String state = state(ex);
            return state.equals(LOCKED) || state.equals(CANCELLED) || state.startsWith(CONFLICT_CLASS);
        });
    }

    private static boolean isAway(SQLException ex) {
        String state = state(ex);
        if (state.length() < 2) {
            // pools say nothing when they are closed, or when somebody interrupts whoever waits
            return true;
        }
        return (AWAY_CLASSES.contains(state.substring(0, 2)) && !state.equals(CANCELLED))
                || AWAY.contains(state)
                || ex instanceof SQLTransientConnectionException
                || ex instanceof SQLNonTransientConnectionException
                || ex instanceof SQLRecoverableException
                || ex instanceof SQLTimeoutException;
    }

    private static boolean any(Throwable thrown, Predicate<SQLException> test) {
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < MAX_CAUSES; depth++) {
            if (current instanceof SQLException ex && test.test(ex)) {
                return true;
            }
            current = current.getCause();
        }
        return false;
    }

    private static String state(SQLException ex) {
        return ex.getSQLState() == null ? "" : ex.getSQLState();
    }
}
