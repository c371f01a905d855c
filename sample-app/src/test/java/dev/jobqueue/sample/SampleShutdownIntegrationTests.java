package dev.jobqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The sample as a process of its own, on its own PostgreSQL, stopped as by Ctrl-C. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "a process there cannot be asked to stop")
class SampleShutdownIntegrationTests {

    /** Far more than it takes, and less than an application takes whose server was stopped under it. */
    private static final int PATIENCE_SECONDS = 20;

    @TempDir
    private Path temporary;

    @Test
    void stopsTheApplicationBeforeItsServerQuietlyAndLeavesNothing() throws Exception {
        Process sample = start();
        try (BufferedReader output = sample.inputReader(StandardCharsets.UTF_8)) {
            assertThat(output.lines().anyMatch(line -> line.contains("Listening on")))
                    .isTrue();
            assertThat(serverDirectories()).hasSize(1);

            sample.toHandle().destroy();

            assertThat(sample.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(output.lines()).noneMatch(line -> line.contains("WARN") || line.contains("ERROR"));
            assertThat(serverDirectories()).isEmpty();
        } finally {
            sample.destroyForcibly();
        }
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        // the binaries need not be unpacked again
                        "-Dot.epg.working-dir=" + Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SampleApplication.class.getName(),
                        "--server.port=0",
                        // a busy machine makes the pool warn of the time that threads had to wait
                        "--logging.level.com.zaxxer.hikari=error")
                .redirectErrorStream(true)
                .start();
    }

    private List<Path> serverDirectories() throws IOException {
        try (Stream<Path> found = Files.walk(temporary, 2)) {
            return found.filter(path -> Files.exists(path.resolve("data"))).toList();
        }
    }
}
