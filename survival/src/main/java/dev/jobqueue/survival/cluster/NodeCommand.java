package dev.jobqueue.survival.cluster;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** How a node is started: the application, and the settings that let it get off a connection that is dead. */
final class NodeCommand {

    private static final List<Path> FAKETIME = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
            Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"),
            Path.of("/usr/lib64/faketime/libfaketime.so.1"));

    /** The node that makes the tables. Also when it is started again: the server may have ended its first try. */
    private static final String FIRST = "worker-1.";

    /** With what lets a node get off a dead connection, and the server off a node that froze in a transaction. */
    private static final String URL = "jdbc:postgresql://localhost:%d/postgres?connectTimeout=2&socketTimeout=3"
            + "&options=-c%%20idle_in_transaction_session_timeout%%3D5s";

    private final Class<?> application;
    private final Path directory;
    private final Timing timing;

    NodeCommand(Class<?> application, Path directory, Timing timing) {
        this.application = application;
        this.directory = directory;
        this.timing = timing;
    }

    /** The library that sets the clock of a process, where it is installed. */
    static Optional<Path> faketime() {
        return FAKETIME.stream().filter(Files::exists).findFirst();
    }

    Process start(String node, int port, boolean clockAhead) {
        File output = directory.resolve(node + ".log").toFile();
        ProcessBuilder builder = new ProcessBuilder(command(node, port))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output));
        if (clockAhead) {
            builder.environment().put("LD_PRELOAD", faketime().orElseThrow().toString());
            builder.environment().put("FAKETIME", "+1h");
            builder.environment().put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            // without these every look at the clock costs a microsecond
            builder.environment().put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
            builder.environment().put("FAKETIME_DISABLE_SHM", "1");
        }
        try {
            return builder.start();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private List<String> command(String node, int port) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                application.getName()));
        settings(node, port).map(setting -> "--" + setting).forEach(command::add);
        return command;
    }

    private Stream<String> settings(String node, int port) {
        return Stream.of(
                "survival.node=" + node,
                "survival.ledgers=" + directory,
                "spring.application.name=" + node,
                "spring.main.banner-mode=off",
                "spring.datasource.url=" + URL.formatted(port),
                "spring.datasource.username=postgres",
                "spring.datasource.hikari.maximum-pool-size=14",
                "spring.datasource.hikari.minimum-idle=2",
                "spring.datasource.hikari.connection-timeout=2000",
                "spring.datasource.hikari.validation-timeout=1000",
                "queue.schema.migrate=" + node.startsWith(FIRST),
                "queue.worker.enabled=" + application.getSimpleName().startsWith("Worker"),
                "queue.worker.slots=8",
                "queue.worker.poll-interval=2s",
                "queue.worker.heartbeat-interval=" + timing.heartbeat(),
                "queue.worker.ttl=" + timing.ttl(),
                "queue.worker.shutdown-grace=1s",
                "logging.level.com.zaxxer.hikari=ERROR");
    }
}
