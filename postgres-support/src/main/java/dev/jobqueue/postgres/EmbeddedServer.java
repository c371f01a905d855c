package dev.jobqueue.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A PostgreSQL server of this JVM's own on a free loopback port, durable as in production.
 *
 * <p>Whoever starts it closes it. Its files are temporary unless a directory is given. Whatever a killed JVM left
 * behind (postmaster and files) is removed by the next start.
 */
public final class EmbeddedServer implements AutoCloseable {

    private static final Duration STARTUP_WAIT = Duration.ofSeconds(60);

    private EmbeddedPostgres postgres;
    private final ServerDirectory directory;

    private EmbeddedServer(EmbeddedPostgres postgres, ServerDirectory directory) {
        this.postgres = postgres;
        this.directory = directory;
    }

    /** Starts a server whose data is gone when it is closed. */
    public static EmbeddedServer start() {
        return start(ServerDirectory.temporary());
    }

    /** Starts a server that keeps its data in the given directory, which is created if need be. */
    public static EmbeddedServer start(Path data) {
        return start(ServerDirectory.kept(data));
    }

    private static EmbeddedServer start(ServerDirectory directory) {
        return new EmbeddedServer(launch(directory, 0), directory);
    }

    /** Stops the server as an administrator would (fast) and starts it again on the same port. */
    public synchronized void restart() {
        relaunch();
    }

    /** Ends the server without any goodbye (immediate), as a power cut would, and starts it again: it recovers. */
    public synchronized void crash() {
        directory.crash();
        relaunch();
    }

    private void relaunch() {
        int port = postgres.getPort();
        try {
            postgres.close();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        postgres = launch(directory, port);
    }

    private static EmbeddedPostgres launch(ServerDirectory directory, int port) {
        try {
            Path log = directory.log();
            return EmbeddedPostgres.builder()
                    .setPort(port)
                    .setDataDirectory(directory.data())
                    .setCleanDataDirectory(false)
                    // All hooks run at once: this one would stop the server under an application that is still closing.
                    .setRegisterShutdownHook(false)
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("max_prepared_transactions", "10")
                    .setPGStartupWait(STARTUP_WAIT)
                    .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException | RuntimeException ex) {
            throw new IllegalStateException(
                    "The embedded PostgreSQL in '%s' did not start. Its log says: %s"
                            .formatted(directory.data(), directory.readLog()),
                    ex);
        }
    }

    public synchronized String jdbcUrl(String database) {
        return "jdbc:postgresql://localhost:%d/%s".formatted(postgres.getPort(), database);
    }

    public String username() {
        return "postgres";
    }

    @Override
    public synchronized void close() {
        try {
            postgres.close();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } finally {
            directory.close();
        }
    }

    Path dataDirectory() {
        return directory.data();
    }
}
