package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.claim.DirectLeases;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The worker of this JVM, as the publishers of this JVM see it. */
public interface LocalWorker {

    /** Stands among the names of queues for jobs that are due later. */
    String LATER = "";

    /** Jobs were committed in these queues; {@link #LATER} stands for jobs that are due later. */
    void wake(Set<String> queues);

    /** Batches or flows were committed, or something that they wait for. */
    default void flowsChanged() {}

    /**
     * Leases for those of the jobs that slots are free for and nothing waits before; {@code null} if there are none.
     */
    @Nullable
    DirectLeases offer(List<NewJob> jobs);

    /** The jobs of these leases are committed. */
    void committed(DirectLeases leases);

    /** The jobs of these leases were not published after all, or nobody knows. */
    void withdrawn(DirectLeases leases);
}
