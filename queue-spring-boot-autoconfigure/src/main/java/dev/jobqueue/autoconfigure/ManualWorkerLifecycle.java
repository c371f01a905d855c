package dev.jobqueue.autoconfigure;

import dev.jobqueue.spi.ManualWorker;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Makes the worker when all handlers are known, and stores what code and properties say as other nodes do at start. */
final class ManualWorkerLifecycle implements SmartLifecycle {

    private final Supplier<ManualWorker> factory;
    private volatile @Nullable ManualWorker worker;

    ManualWorkerLifecycle(Supplier<ManualWorker> factory) {
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
        if (worker == null) {
            worker = factory.get();
        }
    }

    @Override
    public void stop() {
        // it has nothing that runs: a context that is paused between two test classes goes on with it
    }

    @Override
    public boolean isRunning() {
        return worker != null;
    }

    @Override
    public int getPhase() {
        return WorkerLifecycle.PHASE;
    }
}
