package dev.jobqueue.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Calls the functions of one schema. {@link #joining} takes part in the caller's transaction while it is open, and
 * commits by itself otherwise; {@link #apart} always commits by itself, so that what a running handler tells is seen at
 * once, whatever becomes of the handler's own transaction.
 */
public final class Sql {

    /**
     * Follows the call in a statement that does not wait for the disk at commit. Evaluated once, not for each row.
     */
    private static final String HASTY = " WHERE (SELECT set_config('synchronous_commit', 'off', true)) = 'off'";

    private final OwnTransactions transactions;
    private final Schema schema;
    private final @Nullable CallersTransaction callersTransaction;
    private final int timeoutSeconds;
    private final String lockWait;

    private Sql(
            OwnTransactions transactions,
            Schema schema,
            @Nullable CallersTransaction callersTransaction,
            int timeoutSeconds,
            String lockWait) {
        this.transactions = transactions;
        this.schema = schema;
        this.callersTransaction = callersTransaction;
        this.timeoutSeconds = timeoutSeconds;
        this.lockWait = lockWait;
    }

    public static Sql joining(DataSource dataSource, Schema schema) {
        return new Sql(new OwnTransactions(dataSource), schema, new CallersTransaction(dataSource), 0, "");
    }

    public static Sql apart(DataSource dataSource, Schema schema) {
        return new Sql(new OwnTransactions(dataSource), schema, null, 0, "");
    }

    /** Returns these calls with a timeout after which the server cancels them, in whole seconds. */
    public Sql within(Duration timeout) {
        int seconds = Math.max(1, (int) timeout.plusMillis(999).toSeconds());
        return new Sql(transactions, schema, callersTransaction, seconds, lockWait);
    }

    /**
     * Returns these calls with a limit on how long they wait for a lock of somebody else. Only for calls that join no
     * transaction: the setting ends with the transaction.
     */
    public Sql waitingForLocks(Duration most) {
        String setting =
                " WHERE (SELECT set_config('lock_timeout', '%d', true)) IS NOT NULL".formatted(most.toMillis());
        return new Sql(transactions, schema, callersTransaction, timeoutSeconds, setting);
    }

    public Schema schema() {
        return schema;
    }

    /** Whether these calls take part in transactions of their callers. */
    public boolean joinsTransactions() {
        return callersTransaction != null;
    }

    /** Whether a call made now commits or rolls back with a transaction of the caller. */
    public boolean joinsTransaction() {
        return callersTransaction != null && callersTransaction.isOpen();
    }

    /** Whether a call made now sees what others have committed since the transaction of the caller began. */
    public boolean seesCommits() {
        if (!joinsTransaction()) {
            return true;
        }
        Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        return isolation != null
                ? isolation <= Connection.TRANSACTION_READ_COMMITTED
                : inCallersTransaction("look at the isolation", transactions::beginsReadCommitted);
    }

    /** Whether a call made now needs no connection of the pool: in callbacks after a completion the thread has one. */
    public boolean hasConnection() {
        return transactions.hasConnection();
    }

    /** The transaction that calls join; only for one that is {@link #joining}. */
    public CallersTransaction callersTransaction() {
        return Objects.requireNonNull(callersTransaction, "joins no transaction");
    }

    /** {@code SELECT * FROM schema.function(...)} for a call such as {@code "promote(?)"}. */
    public String call(String call) {
        return "SELECT * FROM " + schema.qualified(call) + lockWait;
    }

    /**
     * A call that does not wait for the disk at its commit. For what may be lost in a crash of the server because it is
     * told again (claims, beats, progress), never for a job or its completion. Where a transaction is joined, its
     * commit waits as usual.
     */
    public String hastyCall(String call) {
        return callersTransaction != null ? call(call) : hastyCall(call, "called.*");
    }

    /** Such a call with other columns, of the row that is {@code called}. */
    public String hastyCall(String call, String columns) {
        return hasty(schema.qualified(call), columns);
    }

    public static String hasty(String call, String columns) {
        return "SELECT " + columns + " FROM " + call + " AS called" + HASTY;
    }

    public <T> List<T> query(String sql, Binder binder, RowReader<T> reader) {
        return read(sql, binder, results -> {
            List<T> rows = new ArrayList<>();
            while (results.next()) {
                rows.add(reader.read(results));
            }
            return rows;
        });
    }

    public <T> T queryOne(String sql, Binder binder, RowReader<T> reader) {
        return read(sql, binder, results -> {
            results.next();
            return reader.read(results);
        });
    }

    public void run(String sql, Binder binder) {
        read(sql, binder, results -> true);
    }

    private <T> T read(String sql, Binder binder, RowReader<T> reader) {
        return execute(sql, binder, statement -> {
            try (ResultSet results = statement.executeQuery()) {
                return reader.read(results);
            }
        });
    }

    private <T> T execute(String sql, Binder binder, Execution<T> execution) {
        return connected(sql, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                if (timeoutSeconds > 0) {
                    statement.setQueryTimeout(timeoutSeconds);
                }
                binder.bind(statement);
                return execution.run(statement);
            }
        });
    }

    private <T> T connected(String task, Work<T> work) {
        return joinsTransaction() ? inCallersTransaction(task, work) : byItself(task, work);
    }

    private <T> T inCallersTransaction(String task, Work<T> work) {
        DataSource dataSource = transactions.dataSource();
        try {
            Connection connection = DataSourceUtils.doGetConnection(dataSource);
            try {
                return work.run(connection);
            } finally {
                DataSourceUtils.releaseConnection(connection, dataSource);
            }
        } catch (SQLException ex) {
            throw SqlErrors.translate(task, ex);
        }
    }

    private <T> T byItself(String task, Work<T> work) {
        try {
            return transactions.run(work);
        } catch (SQLException ex) {
            throw SqlErrors.translate(task, ex);
        }
    }

    /** Sets the parameters of a call. */
    @FunctionalInterface
    public interface Binder {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /** Runs a statement whose parameters are set. */
    @FunctionalInterface
    private interface Execution<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    /** Uses a connection. */
    @FunctionalInterface
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(ResultSet results) throws SQLException;
    }
}
