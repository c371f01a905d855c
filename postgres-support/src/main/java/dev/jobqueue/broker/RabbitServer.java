package dev.jobqueue.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A RabbitMQ of one node, where Debian's package is installed. */
public final class RabbitServer implements AutoCloseable {

    /** Why a test is skipped where {@link #isInstalled()} is {@code false}. */
    public static final String MISSING = "RabbitMQ is not installed here: sending to it is not tested";

    private static final Path PROGRAMS = Path.of("/usr/lib/rabbitmq/bin");
    private static final long CALL_SECONDS = 60;

    private final int port;
    private final Map<String, String> environment;
    private final BrokerProcess process;

    private RabbitServer(int port, Map<String, String> environment, BrokerProcess process) {
        this.port = port;
        this.environment = environment;
        this.process = process;
    }

    public static boolean isInstalled() {
        return Files.isExecutable(PROGRAMS.resolve("rabbitmq-server"));
    }

    /** Starts one on a free port, with folders, a name and a name server of its own. */
    public static RabbitServer start() {
        try {
            Path folder = Files.createTempDirectory("rabbit");
            int port = BrokerProcess.freePort();
            Map<String, String> environment = new HashMap<>(Map.of(
                    "HOME", folder.toString(),
                    "ERL_EPMD_PORT", String.valueOf(BrokerProcess.freePort()),
                    "RABBITMQ_NODENAME", "test" + port + "@localhost",
                    "RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1",
                    "RABBITMQ_NODE_PORT", String.valueOf(port),
                    "RABBITMQ_DIST_PORT", String.valueOf(BrokerProcess.freePort()),
                    "RABBITMQ_MNESIA_BASE", folder.resolve("data").toString(),
                    "RABBITMQ_LOG_BASE", folder.resolve("logs").toString(),
                    "RABBITMQ_CONF_ENV_FILE", folder.resolve("none").toString(),
                    "RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("plugins").toString()));
            environment.put("RABBITMQ_CONFIG_FILE", folder.resolve("none").toString());
            // the name server ends when it is told to, although it may not know yet that the broker was killed
            environment.put("ERL_EPMD_RELAXED_COMMAND_CHECK", "true");
            BrokerProcess process = new BrokerProcess(
                    folder, port, List.of(PROGRAMS.resolve("rabbitmq-server").toString()), environment);
            RabbitServer server = new RabbitServer(port, environment, process);
            server.restart();
            return server;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Starts it again, with what it had, and waits until it takes work. */
    public void restart() {
        process.start();
        control("await_startup");
    }

    /** Kills it. */
    public void kill() {
        process.kill();
    }

    /** Calls {@code rabbitmqctl}. */
    public void control(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(PROGRAMS.resolve("rabbitmqctl").toString()));
        command.addAll(List.of(arguments));
        run(command);
    }

    private void run(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Path output = Files.createTempFile("rabbit", ".txt");
            Process call = builder.redirectOutput(output.toFile()).start();
            if (!call.waitFor(CALL_SECONDS, TimeUnit.SECONDS) || call.exitValue() != 0) {
                throw new IllegalStateException("%s:%n%s".formatted(command, Files.readString(output)));
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while " + command + " ran", ex);
        }
    }

    /** {@return where it listens, on the loopback interface} */
    public int port() {
        return port;
    }

    /** Ends it, and the name server that it started. */
    @Override
    public void close() {
        process.kill();
        run(List.of("epmd", "-kill"));
    }
}
