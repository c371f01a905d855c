package dev.jobqueue.benchmarks.subject;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.benchmarks.measure.Server;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A queue under test, in a database of its own. Publishers and workers have separate pools and are separate instances,
 * as in two processes, unless {@link Workers#sameJvm()}.
 */
public abstract class Subject implements AutoCloseable {

    private static final int PUBLISHERS = 20;

    private final String name;
    private final String database;
    private final Server server;
    private String subjectLine = Work.SUBJECT;
    private @Nullable HikariDataSource publishers;
    private @Nullable HikariDataSource workers;
    private @Nullable Connection watcher;

    protected Subject(String name, String database, Server server) {
        this.name = name;
        this.database = database;
        this.server = server;
    }

    public final String name() {
        return name;
    }

    public final String database() {
        return database;
    }

    protected final Server server() {
        return server;
    }

    /** Makes its database and schema, in the place of any there is. */
    public final void create() throws Exception {
        server.recreate(database);
        createSchema();
    }

    protected abstract void createSchema() throws Exception;

    /** Removes all jobs, finished ones too, while no worker runs. */
    public abstract void clear() throws Exception;

    /** Publishes one job, committed when this returns. */
    public abstract void publish(long id) throws Exception;

    /** Publishes many jobs, by whatever the library has for that, a thousand at a time. */
    public abstract void publishAll(long first, int count) throws Exception;

    /** Starts workers whose handlers end in the sink. */
    public abstract void start(Workers setup) throws Exception;

    public abstract void stop();

    /**
     * Whether it is worth while to ask the database for {@link #unfinished() unfinished jobs}, which walks over the
     * dead rows of all others while the last ones are being settled.
     *
     * @param jobs how many there were when the workers started
     */
    public boolean mayBeFinished(int jobs) {
        return true;
    }

    /** Whether some job is not recorded as finished: 0 if none, or how many there are at least. */
    public abstract long unfinished() throws SQLException;

    /** The one number of a query, on a connection that is kept: asking must cost little. */
    protected final synchronized long number(String sql) throws SQLException {
        Connection connection = watcher;
        if (connection == null) {
            connection = server.connect(database);
            watcher = connection;
        }
        try (Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery(sql)) {
            results.next();
            return results.getLong(1);
        }
    }

    protected final synchronized HikariDataSource publishers() {
        HikariDataSource pool = publishers;
        if (pool == null) {
            pool = pool(PUBLISHERS);
            publishers = pool;
        }
        return pool;
    }

    /** A new pool for workers; there is one at a time. */
    protected final synchronized HikariDataSource newWorkers(int size) {
        closeWorkers();
        HikariDataSource pool = pool(size);
        workers = pool;
        return pool;
    }

    protected final synchronized void closeWorkers() {
        if (workers != null) {
            workers.close();
            workers = null;
        }
    }

    private synchronized void closeWatcher() {
        Connection connection = watcher;
        watcher = null;
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException ex) {
                // the server is gone already
                return;
            }
        }
    }

    private HikariDataSource pool(int size) {
        HikariConfig configuration = new HikariConfig();
        configuration.setJdbcUrl(server.url(database));
        configuration.setMaximumPoolSize(size);
        configuration.setMinimumIdle(size);
        return new HikariDataSource(configuration);
    }

    /** From now on payloads have about so many bytes, but never less than about a hundred. */
    public final void payloads(int bytes) {
        subjectLine = Work.subject(bytes);
    }

    final Work work(long id) {
        return Work.of(id, subjectLine);
    }

    @Override
    public void close() {
        stop();
        closeWatcher();
        closeWorkers();
        if (publishers != null) {
            publishers.close();
            publishers = null;
        }
    }
}
