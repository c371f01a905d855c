package dev.jobqueue.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A PgBouncer of its own in front of a {@link TestDatabase}, where the program is installed. */
public final class PgBouncer implements AutoCloseable {

    /** Why a test is skipped where {@link #isInstalled()} is {@code false}. */
    public static final String MISSING = "PgBouncer is not installed here: what happens behind it is not tested";

    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
    private static final String CONFIGURATION = "pgbouncer.ini";
    private static final String LOG = "log";
    private static final long START_SECONDS = 30;

    private final TestDatabase database;
    private final Path folder;
    private final int port;
    private final Process process;

    private PgBouncer(TestDatabase database, Path folder, int port, Process process) {
        this.database = database;
        this.folder = folder;
        this.port = port;
        this.process = process;
    }

    public static boolean isInstalled() {
        return Files.isExecutable(PROGRAM);
    }

    /**
     * Starts one on a free port of the loopback interface.
     *
     * @param mode {@code session}, {@code transaction} or {@code statement}
     * @param poolSize how many sessions of the server all clients share
     */
    public static PgBouncer start(TestDatabase database, String mode, int poolSize) {
        try {
            Path folder = Files.createTempDirectory("pgbouncer");
            // as root it runs as another user, who has to read its configuration
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            int port = freePort();
            Path configuration = folder.resolve(CONFIGURATION);
            Files.writeString(configuration, configuration(database, mode, poolSize, port));
            List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "-q"));
            if ("root".equals(System.getProperty("user.name"))) {
                command.addAll(List.of("-u", "nobody"));
            }
            command.add(configuration.toString());
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve(LOG).toFile())
                    .start();
            PgBouncer bouncer = new PgBouncer(database, folder, port, process);
            bouncer.awaitStart();
            return bouncer;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String configuration(TestDatabase database, String mode, int poolSize, int port) {
        URI server = server(database);
        return """
                [databases]
                %s = host=%s port=%d user=%s %s
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = %s
                default_pool_size = %d
                max_client_conn = 200
                ignore_startup_parameters = extra_float_digits
                """.formatted(
                        server.getPath().substring(1),
                        server.getHost(),
                        server.getPort() < 0 ? 5432 : server.getPort(),
                        database.username(),
                        database.password().isEmpty() ? "" : "password=" + database.password(),
                        port,
                        mode,
                        poolSize);
    }

    private static URI server(TestDatabase database) {
        return URI.create(database.jdbcUrl().substring("jdbc:".length()));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitStart() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try {
                database().connect().close();
                return;
            } catch (SQLException ex) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    String log = Files.readString(folder.resolve(LOG));
                    close();
                    throw new IllegalStateException("PgBouncer does not answer. Its log: " + log, ex);
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    /**
     * The same database, through the pooler; without prepared statements, which PgBouncer before 1.21 cannot follow.
     */
    public TestDatabase database() {
        return new TestDatabase(
                "jdbc:postgresql://127.0.0.1:%d%s?prepareThreshold=0"
                        .formatted(port, server(database).getPath()),
                database.username(),
                database.password());
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            for (Path file : List.of(folder.resolve(CONFIGURATION), folder.resolve(LOG), folder)) {
                Files.deleteIfExists(file);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
