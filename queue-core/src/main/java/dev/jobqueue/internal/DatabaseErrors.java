package dev.jobqueue.internal;

import java.net.ConnectException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.function.Predicate;
import org.postgresql.util.PSQLException;

/** Finds out from an exception what is wrong with the database. */
public final class DatabaseErrors {

    /**
     * Classes of SQLSTATE that are nobody's fault: connection lost, login refused, database or schema gone, rights or
     * functions missing, resources exhausted, server shutting down, system error. The statements of the queue are
     * constant, so that a missing right or function is not the fault of a job either.
     */
    private static final Set<String> AWAY_CLASSES = Set.of("08", "28", "3D", "3F", "42", "53", "57", "58");

    /** What a handler's own statement may meet as well: connection lost, no resources, shutting down, system error. */
    private static final Set<String> OUTAGE_CLASSES = Set.of("08", "53", "57", "58");

    /** What a node may meet that gets no connection: the above, a login that is refused, no such database. */
    private static final Set<String> CONNECTION_CLASSES = Set.of("08", "28", "3D", "53", "57", "58");

    /**
     * The server answered, and did not let this role do it: login refused, database, schema, function or right missing.
     */
    private static final Set<String> REFUSAL_CLASSES = Set.of("28", "3D", "3F", "42");

    /** A standby that cannot write. */
    private static final String READ_ONLY = "25006";

    /**
     * A limit was exceeded: by the data of a job, or because nobody reads notifications, which is no fault of a job.
     */
    private static final String LIMIT = "54000";

    private static final String NOTIFICATIONS = "NOTIFY queue";

    /** A statement was cancelled, maybe because it took longer than its timeout. */
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

    /** Whether the database is away for a statement of the application, which may also be wrong itself. */
    public static boolean isOutage(Throwable thrown) {
        return any(thrown, ex -> {
            String state = state(ex);
            return (state.length() > 2 && OUTAGE_CLASSES.contains(state.substring(0, 2)) && !state.equals(CANCELLED))
                    || state.equals(READ_ONLY);
        });
    }

    /** Whether no connection can be opened. */
    public static boolean isUnreachable(Throwable thrown) {
        return any(thrown, ex -> isOf(CONNECTION_CLASSES, state(ex)));
    }

    /** Whether the server answered, but refuses what is asked for, and will do so until somebody changes that. */
    public static boolean isRefusal(Throwable thrown) {
        return any(thrown, ex -> isOf(REFUSAL_CLASSES, state(ex)) || state(ex).equals(READ_ONLY));
    }

    /** Whether the server itself sent this error. */
    public static boolean isAnswer(Throwable thrown) {
        return any(thrown, ex -> ex instanceof PSQLException psql && psql.getServerErrorMessage() != null);
    }

    /** Whether no server listens where the database should be. */
    static boolean isUnconnected(Throwable thrown) {
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < MAX_CAUSES; depth++) {
            if (current instanceof ConnectException) {
                return true;
            }
            current = current.getCause();
        }
        return false;
    }

    private static boolean isOf(Set<String> classes, String state) {
        return state.length() > 2 && classes.contains(state.substring(0, 2));
    }

    /** Whether somebody else holds a lock. */
    public static boolean isLocked(Throwable thrown) {
        return any(thrown, ex -> LOCKED.equals(ex.getSQLState()));
    }

    /** Whether a transaction may succeed when it is repeated: the database was away, or others were in its way. */
    public static boolean isRepeatable(Throwable thrown) {
        return isAway(thrown) || isLocked(thrown) || any(thrown, ex -> state(ex).startsWith(CONFLICT_CLASS));
    }

    /** Whether others held locks, or the call was too large: it may succeed later, or in parts. */
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
                || state.equals(READ_ONLY)
                || (state.equals(LIMIT) && String.valueOf(ex.getMessage()).contains(NOTIFICATIONS))
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
