package dev.jobqueue.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Kafka of one node, from the class path of whoever starts it. */
public final class KafkaServer implements AutoCloseable {

    private static final long FORMAT_SECONDS = 60;
    private static final List<String> QUICK_START = List.of("-Xmx256m", "-XX:TieredStopAtLevel=1");

    private final int port;
    private final BrokerProcess process;

    private KafkaServer(int port, BrokerProcess process) {
        this.port = port;
        this.process = process;
    }

    /**
     * Starts one on a free port.
     *
     * @param settings of the server, beside those that make it a node of its own
     * @param options of its JVM
     */
    public static KafkaServer start(Map<String, String> settings, String... options) {
        try {
            Path folder = Files.createTempDirectory("kafka");
            int port = BrokerProcess.freePort();
            Path configuration = folder.resolve("server.properties");
            Files.writeString(configuration, configuration(folder, port, settings));
            format(folder, configuration);
            List<String> command = java(List.of(options), "kafka.Kafka", configuration.toString());
            BrokerProcess process = new BrokerProcess(folder, port, command, Map.of());
            KafkaServer server = new KafkaServer(port, process);
            server.process.start();
            return server;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String configuration(Path folder, int port, Map<String, String> settings) {
        int controller = BrokerProcess.freePort();
        StringBuilder lines = new StringBuilder("""
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@localhost:%d
                listeners=PLAINTEXT://localhost:%d,CONTROLLER://localhost:%1$d
                advertised.listeners=PLAINTEXT://localhost:%2$d
                controller.listener.names=CONTROLLER
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
                log.dirs=%s
                offsets.topic.replication.factor=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                group.initial.rebalance.delay.ms=0
                auto.create.topics.enable=false
                """.formatted(controller, port, folder.resolve("data")));
        settings.forEach(
                (name, value) -> lines.append(name).append('=').append(value).append('\n'));
        return lines.toString();
    }

    private static void format(Path folder, Path configuration) throws IOException {
        Process format = new ProcessBuilder(java(
                        QUICK_START,
                        "kafka.tools.StorageTool",
                        "format",
                        "-t",
                        "MkU3OEVBNTcwNTJENDM2Qg",
                        "-c",
                        configuration.toString()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("format.txt").toFile())
                .start();
        try {
            if (!format.waitFor(FORMAT_SECONDS, TimeUnit.SECONDS) || format.exitValue() != 0) {
                throw new IllegalStateException("Kafka did not format its folder:%n%s"
                        .formatted(Files.readString(folder.resolve("format.txt"))));
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Kafka formatted its folder", ex);
        }
    }

    private static List<String> java(List<String> options, String main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Starts it again, with what it had. */
    public void restart() {
        process.start();
    }

    /** Kills it. */
    public void kill() {
        process.kill();
    }

    /** {@return where clients begin} */
    public String address() {
        return "localhost:" + port;
    }

    @Override
    public void close() {
        process.kill();
    }
}
