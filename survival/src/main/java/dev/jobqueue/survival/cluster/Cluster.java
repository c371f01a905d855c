package dev.jobqueue.survival.cluster;

import dev.jobqueue.survival.ledger.Ledgers;
import dev.jobqueue.survival.node.ProducerNode;
import dev.jobqueue.survival.node.WorkerNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Three workers, a producer and their database, under load from the moment it is started. */
public final class Cluster implements AutoCloseable {

    public static final int WORKERS = 3;

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Duration STEP = Duration.ofMillis(50);

    private final Path directory;
    private final Timing timing;
    private final Database database = Database.start();
    private final Ledgers ledgers;
    private final List<Node> workers = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Termination> terminations = new ArrayList<>();
    private final Thread supervisor = new Thread(this::supervise, "supervisor");
    private volatile boolean closed;
    private long calmSince = System.nanoTime();

    private Cluster(Path directory, Timing timing) {
        this.directory = directory;
        this.timing = timing;
        this.ledgers = new Ledgers(directory);
    }

    /**
     * Starts the database and the nodes, and waits until they are up.
     *
     * @param directory where ledgers and outputs of the processes go
     */
    public static Cluster start(Path directory, Timing timing) {
        Cluster cluster = new Cluster(directory, timing);
        try {
            cluster.startNodes();
            return cluster;
        } catch (RuntimeException ex) {
            cluster.close();
            throw ex;
        }
    }

    private void startNodes() {
        supervisor.setDaemon(true);
        supervisor.start();
        for (int i = 1; i <= WORKERS; i++) {
            Node worker = add("worker-" + i, WorkerNode.class);
            workers.add(worker);
            if (i == 1) {
                // the first one makes the tables
                await("the first worker", worker::isReady);
                database.watch();
            }
        }
        add("producer", ProducerNode.class);
        awaitReady();
    }

    private Node add(String name, Class<?> application) {
        Node node =
                new Node(name, new NodeCommand(application, directory, timing), new Proxy(database.port()), ledgers);
        synchronized (nodes) {
            nodes.add(node);
        }
        return node;
    }

    public Path directory() {
        return directory;
    }

    public Timing timing() {
        return timing;
    }

    public Database database() {
        return database;
    }

    public Ledgers ledgers() {
        return ledgers;
    }

    public List<Node> workers() {
        return workers;
    }

    public List<Node> nodes() {
        synchronized (nodes) {
            return List.copyOf(nodes);
        }
    }

    /** One of the workers that are up. */
    public Node worker(Random random) {
        List<Node> ready = workers.stream().filter(Node::isReady).toList();
        return ready.get(random.nextInt(ready.size()));
    }

    public Node producer() {
        return nodes().get(WORKERS);
    }

    /** Sends SIGTERM and remembers it: no attempt that ran there may count as failed because of it. */
    public void terminate(Node node) {
        terminations.add(new Termination(node.incarnation(), calmSince, System.nanoTime()));
        node.terminate();
    }

    public List<Termination> terminations() {
        return List.copyOf(terminations);
    }

    /** What goes wrong from now on is not the fault of what was broken before. */
    public void calm() {
        calmSince = System.nanoTime();
    }

    /** Waits until jobs flow, even if a worker is still missing. */
    public void awaitMost() {
        await(
                "most nodes",
                () -> producer().isReady()
                        && workers.stream().filter(Node::isReady).count() >= WORKERS - 1);
    }

    public void awaitReady() {
        await("all nodes", () -> nodes().stream().allMatch(Node::isReady));
    }

    public void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (deadline - System.nanoTime() < 0) {
                throw new IllegalStateException("Waited %s in vain for %s".formatted(PATIENCE, what));
            }
            pause(STEP);
        }
    }

    /** Lets time pass, while a fault lasts. */
    public void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", ex);
        }
    }

    public static boolean canChangeClocks() {
        return NodeCommand.faketime().isPresent();
    }

    private void supervise() {
        while (!closed) {
            nodes().forEach(Node::supervise);
            LockSupport.parkNanos(STEP.toNanos());
        }
    }

    @Override
    public void close() {
        closed = true;
        nodes().forEach(Node::close);
        nodes().forEach(node -> node.proxy().close());
        database.close();
    }

    /**
     * A SIGTERM.
     *
     * @param node the process
     * @param calmSince attempts that began before this moment may still suffer from an earlier fault
     * @param at when it was sent
     */
    public record Termination(String node, long calmSince, long at) {}
}
