package dev.jobqueue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServerIntegrationTests {

    /** In a temporary directory of its own, so that no other JVM of this machine sweeps before the one of the test. */
    @Test
    void removesWhatAKilledJvmLeftBehind(@TempDir Path temporary) throws Exception {
        Process jvm = jvm(temporary, Abandoned.class).start();
        String[] left;
        try (BufferedReader output = jvm.inputReader(StandardCharsets.UTF_8)) {
            left = output.lines()
                    .filter(line -> line.startsWith("started "))
                    .findFirst()
                    .orElseThrow()
                    .split(" ", 3);
        } finally {
            jvm.destroyForcibly().waitFor();
        }
        String url = left[1];
        Path data = Path.of(left[2]);
        assertThat(data).startsWith(temporary);
        assertThat(runs(url, data)).isTrue();

        sweepInAnotherJvm(temporary);

        assertThat(runs(url, data)).isFalse();
        assertThat(data.getParent()).doesNotExist();
    }

    @Test
    void sparesTheServersOfLivingJvms() throws Exception {
        try (EmbeddedServer first = EmbeddedServer.start()) {
            EmbeddedServer.start().close();
            sweepInAnotherJvm(Path.of(System.getProperty("java.io.tmpdir")));
            execute(first, "SELECT 1");
        }
    }

    private static void sweepInAnotherJvm(Path temporary) throws Exception {
        Process jvm = jvm(temporary, Sweeper.class)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(jvm.waitFor()).isZero();
    }

    private static ProcessBuilder jvm(Path temporary, Class<?> main) {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        // the binaries need not be unpacked again
                        "-Dot.epg.working-dir=" + Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
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
    @DisabledOnOs(OS.WINDOWS)
    void recoversFromACrashWithAllThatWasCommitted() throws SQLException {
        try (EmbeddedServer server = EmbeddedServer.start()) {
            String url = server.jdbcUrl("postgres");
            execute(server, "CREATE TABLE kept ()");
            server.crash();
            assertThat(server.jdbcUrl("postgres")).isEqualTo(url);
            execute(server, "TABLE kept");
        }
    }

    @Test
    void leavesNothingBehindWhenClosed() {
        EmbeddedServer server = EmbeddedServer.start();
        Path data = server.dataDirectory();
        String url = server.jdbcUrl("postgres");
        assertThat(runs(url, data)).isTrue();

        server.close();

        assertThat(runs(url, data)).isFalse();
        assertThat(data.getParent()).doesNotExist();
    }

    /** Whether a server on these files answers there: its port may be somebody else's by now. */
    private static boolean runs(String url, Path data) {
        try (Connection connection = DriverManager.getConnection(url, "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SHOW data_directory")) {
            return result.next() && data.equals(Path.of(result.getString(1)));
        } catch (SQLException ex) {
            return false;
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
            System.out.println("started " + server.jdbcUrl("postgres") + " " + server.dataDirectory());
            Thread.currentThread().join();
        }
    }
}
