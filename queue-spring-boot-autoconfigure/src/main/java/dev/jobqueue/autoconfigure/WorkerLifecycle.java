package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.node.Node;
import dev.jobqueue.internal.node.RunningNode;
import dev.jobqueue.internal.publish.Neighbour;
import dev.jobqueue.internal.publish.NewJob;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the worker when everything else is up, web server included. Stops it in the phase of the web server's graceful
 * shutdown, and on a thread of its own: running jobs and running requests are waited for at the same time. Requests may
 * publish until the end; other nodes handle those jobs.
 */
final class WorkerLifecycle implements SmartLifecycle, RunningNode, Neighbour {

    /** That of the web server's graceful shutdown; the server itself starts before it, and stops after it. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    private final Supplier<Node> factory;
    private volatile @Nullable Node worker;

    WorkerLifecycle(Supplier<Node> factory) {
        this.factory = factory;
    }

    @Override
    public void start() {
        Node created = factory.get();
        created.start();
        worker = created;
    }

    @Override
    public void stop() {
        Node current = worker;
        if (current == null) {
            return;
        }
        try {
            current.stop();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            worker = null;
        }
    }

    @Override
    public void stop(Runnable callback) {
        new Thread(
                        () -> {
                            try {
                                stop();
                            } finally {
                                callback.run();
                            }
                        },
                        "queue-stop")
                .start();
    }

    @Override
    public boolean isRunning() {
        return worker != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void wake(Set<String> queues) {
        Node current = worker;
        if (current != null) {
            current.wake(queues);
            if (queues.contains("")) {
                current.wakeUpkeep();
            }
        }
    }

    @Override
    public @Nullable DirectLeases offer(List<NewJob> jobs) {
        Node current = worker;
        return current == null ? null : current.offer(jobs);
    }

    @Override
    public void committed(DirectLeases leases) {
        Node current = worker;
        if (current != null) {
            current.committed(leases);
        }
    }

    @Override
    public void withdrawn(DirectLeases leases) {
        Node current = worker;
        if (current != null) {
            current.withdrawn(leases);
        }
    }

    /** A job was published on this node, in whatever queue. */
    void wakeAll() {
        Node current = worker;
        if (current != null) {
            current.wake(current.slotUse().keySet());
        }
    }

    /** Schedules were changed on this node. */
    void wakeScheduler() {
        Node current = worker;
        if (current != null) {
            current.wakeScheduler();
        }
    }

    @Override
    public @Nullable Node worker() {
        return worker;
    }
}
