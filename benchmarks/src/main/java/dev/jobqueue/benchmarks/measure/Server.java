package dev.jobqueue.benchmarks.measure;

import dev.jobqueue.postgres.EmbeddedServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL of our own: durable (fsync and synchronous_commit on), all else as it comes, with pg_stat_statements,
 * which counts only while asked to.
 */
public final class Server implements AutoCloseable {

    private final EmbeddedServer server;
    private long postmaster;
    private boolean closed;

    private Server(EmbeddedServer server) {
        this.server = server;
    }

    public static Server start() throws SQLException {
        Server server = new Server(EmbeddedServer.start());
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop-benchmark-postgres"));
        server.restartWithStatistics();
        return server;
    }

    /** The library that counts statements can only be loaded at start. */
    private void restartWithStatistics() throws SQLException {
        execute(
                "postgres",
                "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'",
                "ALTER SYSTEM SET pg_stat_statements.track = 'none'");
        server.restart();
        execute("postgres", "CREATE EXTENSION pg_stat_statements");
        postmaster = number("postgres", "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)");
    }

    public long postmaster() {
        return postmaster;
    }

    public String url(String database) {
        return server.jdbcUrl(database) + "?user=" + server.username() + "&reWriteBatchedInserts=true";
    }

    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database));
    }

    public void recreate(String database) throws SQLException {
        execute("postgres", "DROP DATABASE IF EXISTS " + database + " WITH (FORCE)", "CREATE DATABASE " + database);
    }

    public void execute(String database, String... statements) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** The one value of a query, as text. */
    public String text(String database, String sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery(sql)) {
            results.next();
            return String.valueOf(results.getString(1));
        }
    }

    public long number(String database, String sql) throws SQLException {
        return Long.parseLong(text(database, sql));
    }

    /**
     * Leaves nothing to the background that would disturb the next measurement: what the server finds to clean up in
     * one database it does up to a minute later, while another one is measured.
     */
    public void tidy(String database) throws SQLException {
        execute(database, "VACUUM (ANALYZE)", "CHECKPOINT");
    }

    /**
     * Does now what the server would do by itself while the next phase is measured, cleaning up behind the last one.
     */
    public void rest() throws SQLException {
        String all = text("postgres", "SELECT string_agg(datname, ' ') FROM pg_database WHERE NOT datistemplate");
        for (String database : List.of(all.split(" ", -1))) {
            tidy(database);
        }
    }

    /** An open transaction that holds its snapshot until it is closed. */
    public Connection holdSnapshot(String database) throws SQLException {
        Connection connection = connect(database);
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT count(*) FROM pg_class");
        }
        return connection;
    }

    /** What each process of the server does: claiming, settling, or what it is there for. */
    Map<Long, String> backends() throws SQLException {
        Map<Long, String> roles = new HashMap<>();
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery(
                        "SELECT pid, CASE WHEN query ~ 'claim\\(' THEN 'claim' WHEN query ~ 'complete_' THEN 'settle'"
                                + " ELSE backend_type END FROM pg_stat_activity")) {
            while (results.next()) {
                roles.put(results.getLong(1), results.getString(2));
            }
        }
        return roles;
    }

    public void countStatements(boolean on) throws SQLException, InterruptedException {
        execute(
                "postgres",
                "ALTER SYSTEM SET pg_stat_statements.track = '" + (on ? "top" : "none") + "'",
                "SELECT pg_reload_conf()");
        Thread.sleep(500);
        execute("postgres", "SELECT pg_stat_statements_reset()");
    }

    public long statements(String database) throws SQLException {
        return number(
                "postgres",
                "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid"
                        + " WHERE d.datname = '" + database + "'");
    }

    public long commits(String database) throws SQLException {
        return number("postgres", "SELECT xact_commit FROM pg_stat_database WHERE datname = '" + database + "'");
    }

    /** Bytes of WAL written since the server was made. */
    public long wal() throws SQLException {
        return number("postgres", "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
    }

    public String describe() throws SQLException {
        return "PostgreSQL "
                + text(
                        "postgres",
                        "SELECT current_setting('server_version') || ', fsync ' || current_setting('fsync')"
                                + " || ', synchronous_commit ' || current_setting('synchronous_commit')"
                                + " || ', full_page_writes ' || current_setting('full_page_writes')"
                                + " || ', wal_sync_method ' || current_setting('wal_sync_method')"
                                + " || ', shared_buffers ' || current_setting('shared_buffers')"
                                + " || ', max_wal_size ' || current_setting('max_wal_size')");
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            server.close();
        }
    }
}
