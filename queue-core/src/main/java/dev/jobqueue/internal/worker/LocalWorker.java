package dev.jobqueue.internal.worker;

import org.jspecify.annotations.Nullable;

/** The worker of this node, for those who watch it. */
@FunctionalInterface
public interface LocalWorker {

    /** The worker; {@code null} while it does not run. */
    @Nullable
    QueueWorker worker();
}
