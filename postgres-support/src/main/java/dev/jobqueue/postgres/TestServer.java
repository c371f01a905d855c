package dev.jobqueue.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * The one PostgreSQL that the tests of this JVM share: the one named by the environment, else a container, else the
 * embedded binaries. System property {@code postgres.version} picks the major version of the latter two.
 */
final class TestServer {

    static final String URL_VARIABLE = "QUEUE_TEST_JDBC_URL";
    static final String USERNAME_VARIABLE = "QUEUE_TEST_USERNAME";
    static final String PASSWORD_VARIABLE = "QUEUE_TEST_PASSWORD";

    private static final List<String> VERSIONS = List.of("15", "16", "17", "18");

    private static final Logger log = LoggerFactory.getLogger(TestServer.class);

    private static @Nullable TestServer instance;

    private final String jdbcUrl;
    private final String username;
    private final String password;
    private final String runId = Long.toString(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 36);
    private final AtomicInteger databases = new AtomicInteger();
    private final List<String> created = new CopyOnWriteArrayList<>();

    private TestServer(String jdbcUrl, String username, String password) {
        this.jdbcUrl = jdbcUrl;
        this.username = username;
        this.password = password;
    }

    static synchronized TestServer get() {
        TestServer server = instance;
        if (server == null) {
            server = choose(System.getenv());
            instance = server;
        }
        return server;
    }

    static TestServer choose(Map<String, String> environment) {
        String url = environment.get(URL_VARIABLE);
        if (url != null && !url.isBlank()) {
            return given(
                    url,
                    environment.getOrDefault(USERNAME_VARIABLE, "postgres"),
                    environment.getOrDefault(PASSWORD_VARIABLE, ""));
        }
        return DockerClientFactory.instance().isDockerAvailable() ? container() : embedded();
    }

    /**
     * Creates a database that is dropped at the latest when the JVM ends.
     *
     * @param template the database to copy, to which nobody may be connected; PostgreSQL has an empty one
     */
    TestDatabase createDatabase(String template) {
        String name = "queue_test_" + runId + "_" + databases.incrementAndGet();
        execute("CREATE DATABASE " + name + " TEMPLATE " + template);
        created.add(name);
        return new TestDatabase(withDatabase(jdbcUrl, name), username, password);
    }

    private static TestServer given(String url, String username, String password) {
        TestServer server = new TestServer(url, username, password).announce("given by " + URL_VARIABLE);
        Runtime.getRuntime().addShutdownHook(new Thread(server::dropDatabases, "drop-test-databases"));
        return server;
    }

    @SuppressWarnings("resource") // Testcontainers removes the container when the JVM ends, however it ends.
    private static TestServer container() {
        PostgreSQLContainer container = new PostgreSQLContainer("postgres:" + majorVersion())
                .withCommand(
                        "postgres",
                        "-c",
                        "fsync=on",
                        "-c",
                        "max_connections=300",
                        "-c",
                        "max_prepared_transactions=10");
        container.start();
        return new TestServer(container.getJdbcUrl(), container.getUsername(), container.getPassword())
                .announce("in a container");
    }

    private static TestServer embedded() {
        log.debug("Embedded binaries of PostgreSQL {}", majorVersion());
        EmbeddedServer server = EmbeddedServer.start();
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop-test-postgres"));
        return new TestServer(server.jdbcUrl("postgres"), server.username(), "").announce("embedded");
    }

    static String majorVersion() {
        String version = System.getProperty("postgres.version", "18");
        if (!VERSIONS.contains(version)) {
            throw new IllegalArgumentException("postgres.version '%s' must be one of %s".formatted(version, VERSIONS));
        }
        return version;
    }

    private TestServer announce(String how) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl, username, password);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SHOW server_version")) {
            result.next();
            log.info("Tests run on PostgreSQL {} ({})", result.getString(1), how);
            return this;
        } catch (SQLException ex) {
            throw new IllegalStateException(
                    "No PostgreSQL answers at '%s' (%s): %s".formatted(jdbcUrl, how, ex.getMessage()), ex);
        }
    }

    private void dropDatabases() {
        created.forEach(name -> execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"));
    }

    private void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl, username, password);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException ex) {
            throw new IllegalStateException("'%s' failed: %s".formatted(sql, ex.getMessage()), ex);
        }
    }

    /** The name of the database in a URL. */
    static String databaseOf(String url) {
        int query = url.indexOf('?');
        String address = query < 0 ? url : url.substring(0, query);
        return address.substring(address.lastIndexOf('/') + 1);
    }

    /** The same URL, options included, with another database: {@code jdbc:postgresql://host/NAME?options}. */
    static String withDatabase(String url, String name) {
        int query = url.indexOf('?');
        String address = query < 0 ? url : url.substring(0, query);
        String options = query < 0 ? "" : url.substring(query);
        return address.substring(0, address.lastIndexOf('/') + 1) + name + options;
    }
}
