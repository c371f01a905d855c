package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.claim.DirectLeases;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stands for the worker in a JVM that only publishes. */
public final class NoWorker implements LocalWorker {

    @Override
    public void wake(Set<String> queues) {}

    @Override
    public @Nullable DirectLeases offer(List<NewJob> jobs) {
        return null;
    }

    @Override
    public void committed(DirectLeases leases) {}

    @Override
    public void withdrawn(DirectLeases leases) {}
}
