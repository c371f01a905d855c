package dev.jobqueue.survival.cluster;

import dev.jobqueue.postgres.EmbeddedServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The server, as its administrator sees it: past all proxies. */
public final class Database implements AutoCloseable {

    private static final String SCHEMA = """
            CREATE SCHEMA survival;
            CREATE TABLE survival.business (job_id uuid NOT NULL, attempt int NOT NULL, child_id uuid NOT NULL);
            CREATE TABLE survival.orders (job_id uuid NOT NULL);
            CREATE TABLE survival.disk (is_full boolean NOT NULL);
            INSERT INTO survival.disk VALUES (false);
            CREATE FUNCTION survival.write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                IF (SELECT is_full FROM survival.disk) THEN
                    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
                END IF;
                RETURN NULL;
            END
            $$;
            """;

    /** New rows need space; rows that are taken away do not. */
    private static final String DISK = """
            CREATE TRIGGER disk BEFORE INSERT ON queue.job EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.ready EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.scheduled EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.waiting EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.turn EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.held EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.flow EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.flow_tick EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.lease EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.job_history EXECUTE FUNCTION survival.write();
            CREATE TRIGGER disk BEFORE INSERT ON queue.dead_letter EXECUTE FUNCTION survival.write();
            """;

    /** Notes every claim that lets more jobs of a limit run than it allows, at that moment. */
    private static final String LIMITS = """
            SELECT queue.set_limit('survival', running => 3);
            CREATE TABLE survival.over (what text);
            CREATE FUNCTION survival.count_held() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE
                running bigint := (SELECT count(*) FROM queue.held h WHERE h.gate = NEW.gate);
            BEGIN
                IF running > 3 THEN
                    INSERT INTO survival.over
                    VALUES (format('%s jobs hold %s, one of them is %s', running, NEW.gate, NEW.id));
                END IF;
                RETURN NULL;
            END
            $$;
            CREATE TRIGGER count_held AFTER INSERT ON queue.held FOR EACH ROW EXECUTE FUNCTION survival.count_held();
            """;

    private final EmbeddedServer server;

    private Database(EmbeddedServer server) {
        this.server = server;
    }

    static Database start() {
        Database database = new Database(EmbeddedServer.start());
        database.execute(SCHEMA);
        return database;
    }

    int port() {
        String url = server.jdbcUrl("postgres");
        return Integer.parseInt(url.substring(url.lastIndexOf(':') + 1, url.lastIndexOf('/')));
    }

    /** A connection that nothing is done to. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(
                server.jdbcUrl("postgres")
                        + "?ApplicationName=survival&options=-c%20default_transaction_read_only%3Doff",
                server.username(),
                "");
    }

    /** Once the queue has its tables. */
    void watch() {
        execute(DISK);
        execute(LIMITS);
    }

    public void setDiskFull(boolean full) {
        execute("UPDATE survival.disk SET is_full = " + full);
    }

    public void setReadOnly(boolean readOnly) {
        execute("ALTER SYSTEM SET default_transaction_read_only = " + (readOnly ? "on" : "off"));
        execute("SELECT pg_reload_conf()");
    }

    /** Ends about so many of a hundred connections of the nodes. */
    public void terminateBackends(int percent, int salt) {
        execute("""
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE backend_type = 'client backend' AND application_name <> 'survival'
                    AND abs(hashint4(pid + %d) %% 100) < %d
                """.formatted(salt, percent));
    }

    public void restart() {
        server.restart();
    }

    public void crash() {
        server.crash();
    }

    @Override
    public void close() {
        server.close();
    }

    public void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException ex) {
            throw new IllegalStateException("'%s' failed: %s".formatted(sql, ex.getMessage()), ex);
        }
    }

    /** The first value of the answer, as text; empty if there is none. */
    public String query(String sql) {
        try (Connection connection = connect()) {
            return query(connection, sql);
        } catch (SQLException ex) {
            throw new IllegalStateException("'%s' failed: %s".formatted(sql, ex.getMessage()), ex);
        }
    }

    public static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }
}
