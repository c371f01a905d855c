package dev.jobqueue.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServerIntegrationTests {

    @Test
    void removesWhatAKilledJvmLeftBehind() throws Exception {
        Process jvm = jvm(Abandoned.class).start();
        Path data;
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
            data = Path.of(output.lines()
                    .filter(line -> line.startsWith("data="))
                    .findFirst()
                    .orElseThrow()
                    .substring("data=".length()));
        }
        long postmaster = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
        jvm.destroyForcibly().waitFor();
        assertThat(ProcessHandle.of(postmaster)).isPresent();

        try (EmbeddedServer next = EmbeddedServer.start()) {
            assertThat(next.jdbcUrl("postgres")).startsWith("jdbc:postgresql:");
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> ProcessHandle.of(postmaster).isEmpty());
            assertThat(data).doesNotExist();
        }
    }

    @Test
    void sparesTheServersOfLivingJvms() throws Exception {
        try (EmbeddedServer first = EmbeddedServer.start()) {
            EmbeddedServer.start().close();
            sweepInAnotherJvm();
            execute(first, "SELECT 1");
        }
    }

    private static void sweepInAnotherJvm() throws Exception {
        Process jvm = jvm(Sweeper.class)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(jvm.waitFor()).isZero();
    }

    private static ProcessBuilder jvm(Class<?> main) {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
    }

    @Test
    void keepsItsDataInAGivenDirectory(@TempDir Path directory) throws SQLException {
        try (EmbeddedServer server = EmbeddedServer.start(directory)) {
            execute(server, "CREATE TABLE kept ()");
        }
        try (EmbeddedServer server = EmbeddedServer.start(directory)) {
            execute(server, "TABLE kept");
        }
    }

    @Test
    void leavesNothingBehindWhenClosed() throws IOException {
        long before = directories();
        EmbeddedServer.start().close();
        assertThat(directories()).isEqualTo(before);
    }

    private static long directories() throws IOException {
        Path root = Files.createDirectories(ServerDirectory.root());
        try (var found = Files.list(root)) {
            return found.count();
        }
    }

    private static void execute(EmbeddedServer server, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl("postgres"), server.username(), "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A JVM that makes a directory of its own, and so sweeps. */
    static final class Sweeper {

        public static void main(String[] args) {
            ServerDirectory.temporary().close();
        }
    }

    /** A JVM that starts a server and is then killed. */
    static final class Abandoned {

        @SuppressWarnings("SystemOut")
        public static void main(String[] args) throws InterruptedException {
            EmbeddedServer server = EmbeddedServer.start();
            System.out.println("data=" + server.dataDirectory());
            Thread.currentThread().join();
        }
    }
}
