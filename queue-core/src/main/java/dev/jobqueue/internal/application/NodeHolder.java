package dev.jobqueue.internal.application;

import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.node.Node;
import dev.jobqueue.internal.publish.LocalWorker;
import dev.jobqueue.internal.publish.NewJob;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The node of this application while it runs. Publishers are there before it starts and after it has stopped. */
final class NodeHolder implements LocalWorker {

    private volatile @Nullable Node running;

    void start(Node node) {
        node.start();
        running = node;
    }

    void stop() throws InterruptedException {
        Node current = running;
        if (current == null) {
            return;
        }
        try {
            current.stop();
        } finally {
            running = null;
        }
    }

    /** The node; {@code null} while it does not run. */
    @Nullable
    Node running() {
        return running;
    }

    void ifRunning(Consumer<Node> action) {
        Node current = running;
        if (current != null) {
            action.accept(current);
        }
    }

    @Override
    public void wake(Set<String> queues) {
        ifRunning(node -> node.localWorker().wake(queues));
    }

    @Override
    public void flowsChanged() {
        ifRunning(node -> node.localWorker().flowsChanged());
    }

    @Override
    public @Nullable DirectLeases offer(List<NewJob> jobs) {
        Node current = running;
        return current == null ? null : current.localWorker().offer(jobs);
    }

    @Override
    public void committed(DirectLeases leases) {
        ifRunning(node -> node.localWorker().committed(leases));
    }

    @Override
    public void withdrawn(DirectLeases leases) {
        ifRunning(node -> node.localWorker().withdrawn(leases));
    }
}
