package dev.jobqueue.survival.cluster;

import dev.jobqueue.survival.ledger.Entry;
import dev.jobqueue.survival.ledger.Ledgers;
import dev.jobqueue.survival.ledger.Verb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** One node: a process that is started again whenever it ends, as an orchestrator would. */
public final class Node implements AutoCloseable {

    private static final Duration GOODBYE = Duration.ofSeconds(60);

    private final String name;
    private final NodeCommand command;
    private final Proxy proxy;
    private final Ledgers ledgers;
    private Process process;
    private int generation;
    private boolean clockAhead;
    private boolean closed;

    Node(String name, NodeCommand command, Proxy proxy, Ledgers ledgers) {
        this.name = name;
        this.command = command;
        this.proxy = proxy;
        this.ledgers = ledgers;
        this.process = launch();
    }

    public String name() {
        return name;
    }

    /** The process of now; the next one of this node has another name. */
    public synchronized String incarnation() {
        return name + "." + generation;
    }

    public Proxy proxy() {
        return proxy;
    }

    public boolean isReady() {
        return isAlive()
                && ledgers.refresh().ofNode(incarnation()).stream().anyMatch(entry -> entry.verb() == Verb.READY);
    }

    private synchronized boolean isAlive() {
        return process.isAlive();
    }

    /** How far its clock was ahead of this one when it became ready. */
    public Duration clockOffset() {
        Entry ready = ledgers.refresh().ofNode(incarnation()).stream()
                .filter(entry -> entry.verb() == Verb.READY)
                .findFirst()
                .orElseThrow();
        long elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - ready.nanos());
        return Duration.ofMillis(Long.parseLong(ready.detail()) + elapsed - System.currentTimeMillis());
    }

    /** The jobs whose handlers run in the process of now. */
    public Set<UUID> running() {
        Set<UUID> running = new HashSet<>();
        for (Entry entry : ledgers.refresh().ofNode(incarnation())) {
            if (entry.verb() == Verb.STARTED) {
                running.add(entry.id());
            } else if (entry.verb() == Verb.LEFT) {
                running.remove(entry.id());
            }
        }
        return running;
    }

    /** {@code kill -9}. */
    public synchronized void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /** SIGTERM, and waits until the process has ended. */
    public synchronized void terminate() {
        // of the handle: that of the process would also cut its leash
        process.toHandle().destroy();
        awaitExit();
    }

    public synchronized void freeze() {
        // a stopped process would not notice that its parent is gone: somebody else must wake it in the end
        shell("kill -STOP %1$d; (sleep 120; kill -CONT %1$d) >/dev/null 2>&1 &".formatted(process.pid()));
    }

    public synchronized void thaw() {
        shell("kill -CONT " + process.pid());
    }

    public synchronized void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The processes from now on have a clock that is an hour ahead, or not any more. */
    public synchronized void setClockAhead(boolean ahead) {
        clockAhead = ahead;
    }

    /** Starts the process again if it has ended. */
    synchronized void supervise() {
        if (!closed && !process.isAlive()) {
            generation++;
            process = launch();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        terminate();
    }

    private Process launch() {
        return command.start(name + "." + generation, proxy.port(), clockAhead);
    }

    private void awaitExit() {
        try {
            if (!process.waitFor(GOODBYE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("'%s' did not end within %s".formatted(incarnation(), GOODBYE));
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private static void shell(String script) {
        try {
            new ProcessBuilder(List.of("sh", "-c", script)).start().waitFor();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
