package dev.jobqueue.autoconfigure;

import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** A node in a process of its own, to be killed. */
@EnableAutoConfiguration
@Import(Ticker.class)
public class ClusterNode {

    public static void main(String[] args) throws IOException {
        SpringApplication.run(ClusterNode.class, args);
        // ends with whoever started it, and before that not
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    public static Process start(TestDatabase database) {
        return start(database, ClusterNode.class);
    }

    /** Starts the main class with these arguments besides those that name the database. */
    public static Process start(TestDatabase database, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dlogging.config=" + System.getProperty("logging.config", ""),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                "--spring.application.name=cluster",
                "--server.port=0",
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password()));
        command.addAll(List.of(arguments));
        try {
            return new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
