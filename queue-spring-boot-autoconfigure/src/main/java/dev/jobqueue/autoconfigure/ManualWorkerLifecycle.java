package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.node.NodeSettings;
import dev.jobqueue.spi.ManualWorker;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Makes the worker when all handlers are known, and stores what code and properties say as other nodes do at start.
 * Once
 * more when it is started again: Spring pauses the application context of a test class while another one is used, which
 * may
 * have stored something else in the same database.
 */
final class ManualWorkerLifecycle implements SmartLifecycle {

    private final Supplier<NodeSettings> preparation;
    private final Function<NodeSettings, ManualWorker> factory;
    private volatile @Nullable ManualWorker worker;
    private volatile boolean running;

    ManualWorkerLifecycle(Supplier<NodeSettings> preparation, Function<NodeSettings, ManualWorker> factory) {
        this.preparation = preparation;
        this.factory = factory;
    }

    ManualWorker worker() {
        ManualWorker made = worker;
        if (made == null) {
            throw new IllegalStateException("The worker is not there yet: ask for it when the application has started");
        }
        return made;
    }

    @Override
    public void start() {
        if (running) {
            return;
        }
        NodeSettings settings = preparation.get();
        if (worker == null) {
            worker = factory.apply(settings);
        }
        running = true;
    }

    @Override
    public void stop() {
        // it has no threads: there is nothing to stop but to know that it is to be prepared again
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return WorkerLifecycle.PHASE;
    }
}
