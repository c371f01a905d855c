package dev.jobqueue.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server with a folder of its own that listens on a port of the loopback interface. */
final class BrokerProcess {

    private static final long START_SECONDS = 90;

    private final Path log;
    private final int port;
    private final ProcessBuilder builder;
    private @Nullable Process process;

    BrokerProcess(Path folder, int port, List<String> command, Map<String, String> environment) {
        this.log = folder.resolve("log.txt");
        this.port = port;
        this.builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Starts it, and waits until it takes connections. */
    void start() {
        try {
            Process started = builder.start();
            process = started;
            Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
            while (!listens()) {
                if (!started.isAlive() || System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            "%s did not start:%n%s".formatted(builder.command().get(0), Files.readString(log)));
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a broker started", ex);
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException ex) {
            return false;
        }
    }

    /** Kills it: it has no time to tell anybody. */
    void kill() {
        Process running = process;
        if (running != null) {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly().onExit().join();
            process = null;
        }
    }
}
