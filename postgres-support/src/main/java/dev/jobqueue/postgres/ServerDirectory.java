package dev.jobqueue.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a server keeps its files. A temporary one holds a file lock while its JVM lives; the operating system frees the
 * lock however the JVM ends, so a directory whose lock can be taken has lost its owner and is swept.
 */
final class ServerDirectory implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ServerDirectory.class);

    private static final String OWNER_LOCK = "owner.lock";
    private static final String ROOT_LOCK = "root.lock";
    private static final Duration STOP_WAIT = Duration.ofSeconds(10);
    private static final Duration STOP_POLL = Duration.ofMillis(10);
    private static final Duration START_TOLERANCE = Duration.ofSeconds(5);

    /** Never opened by the sweep: closing any channel of a file drops all locks this JVM has on it. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path data;
    private final Path serverLog;
    private final @Nullable Path temporary;
    private final @Nullable FileChannel owner;

    private ServerDirectory(Path data, Path serverLog, @Nullable Path temporary, @Nullable FileChannel owner) {
        this.data = data;
        this.serverLog = serverLog;
        this.temporary = temporary;
        this.owner = owner;
    }

    /** Makes a directory, and sweeps those of JVMs that are gone; one at a time, so that no newborn one is swept. */
    static synchronized ServerDirectory temporary() {
        try {
            Path root = Files.createDirectories(root());
            try (FileChannel rootLock = open(root.resolve(ROOT_LOCK));
                    FileLock held = rootLock.lock()) {
                log.trace("Holding {}", held);
                sweep(root);
                Path directory =
                        Files.createTempDirectory(root, ProcessHandle.current().pid() + "-");
                FileChannel owner = open(directory.resolve(OWNER_LOCK));
                owner.lock();
                OWN.add(directory);
                return new ServerDirectory(
                        directory.resolve("data"), directory.resolve("server.log"), directory, owner);
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static ServerDirectory kept(Path directory) {
        try {
            Path absolute = Files.createDirectories(directory.toAbsolutePath());
            Path data = absolute.resolve("data");
            stopPostmaster(data);
            return new ServerDirectory(data, absolute.resolve("server.log"), null, null);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static Path root() {
        return Path.of(
                System.getProperty("java.io.tmpdir"), "jobqueue-postgres-" + System.getProperty("user.name", "user"));
    }

    Path data() {
        return data;
    }

    Path log() {
        return serverLog;
    }

    String readLog() {
        try {
            return Files.exists(serverLog) ? Files.readString(serverLog) : "(nothing)";
        } catch (IOException ex) {
            return "(unreadable: " + ex.getMessage() + ")";
        }
    }

    /** Ends the server that runs on these files at once: no checkpoint, no goodbye to its clients. */
    void crash() {
        ProcessHandle postmaster = postmaster(data)
                .orElseThrow(() -> new IllegalStateException("No PostgreSQL runs in '%s'".formatted(data)));
        try {
            new ProcessBuilder("kill", "-QUIT", Long.toString(postmaster.pid()))
                    .start()
                    .waitFor();
            awaitExit(data);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (temporary == null || owner == null) {
            return;
        }
        awaitExit(data);
        try {
            owner.close();
        } catch (IOException ex) {
            log.warn("Could not release '{}'", temporary, ex);
        }
        delete(temporary);
        OWN.remove(temporary);
    }

    private static void sweep(Path root) throws IOException {
        List<Path> directories;
        try (Stream<Path> found = Files.list(root)) {
            directories = found.filter(Files::isDirectory).toList();
        }
        for (Path directory : directories) {
            if (!OWN.contains(directory) && hasLostItsOwner(directory)) {
                stopPostmaster(directory.resolve("data"));
                delete(directory);
            }
        }
    }

    private static boolean hasLostItsOwner(Path directory) throws IOException {
        try (FileChannel channel = open(directory.resolve(OWNER_LOCK));
                FileLock taken = channel.tryLock()) {
            return taken != null;
        } catch (NoSuchFileException ex) {
            // its owner has just deleted it
            return false;
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static void stopPostmaster(Path data) {
        postmaster(data).ifPresent(postmaster -> {
            log.info("Stopping the PostgreSQL (pid {}) that a killed JVM left in '{}'", postmaster.pid(), data);
            postmaster.destroy();
            awaitExit(data);
        });
    }

    /** The server that runs on these files; a process that merely got its number later is somebody else's. */
    private static Optional<ProcessHandle> postmaster(Path data) {
        try {
            List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
            if (lines.size() < 3) {
                return Optional.empty();
            }
            Instant started = Instant.ofEpochSecond(Long.parseLong(lines.get(2).strip()));
            return ProcessHandle.of(Long.parseLong(lines.get(0).strip()))
                    .filter(process -> isPostgres(process, data, started));
        } catch (IOException | NumberFormatException ex) {
            return Optional.empty();
        }
    }

    private static boolean isPostgres(ProcessHandle process, Path data, Instant started) {
        ProcessHandle.Info info = process.info();
        boolean namedSo = info.command()
                .map(command -> Path.of(command).getFileName().toString().startsWith("postgres"))
                .orElse(false);
        boolean startedThen = info.startInstant()
                .map(start -> Duration.between(start, started).abs().compareTo(START_TOLERANCE) < 0)
                .orElse(false);
        boolean onTheseFiles = info.arguments()
                .map(arguments -> List.of(arguments).contains(data.toString()))
                .orElse(true);
        return namedSo && startedThen && onTheseFiles;
    }

    /** Looks instead of waiting for the process: an orphan that has ended may stay a zombie where nobody reaps it. */
    private static void awaitExit(Path data) {
        long deadline = System.nanoTime() + STOP_WAIT.toNanos();
        Optional<ProcessHandle> postmaster = postmaster(data);
        while (postmaster.isPresent()) {
            if (System.nanoTime() > deadline) {
                postmaster.get().destroyForcibly();
                return;
            }
            LockSupport.parkNanos(STOP_POLL.toNanos());
            postmaster = postmaster(data);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException ex) {
            log.warn("Could not delete '{}': {}", directory, ex.toString());
        }
    }
}
