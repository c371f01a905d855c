package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.claim.DirectLeases;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The worker of this JVM, as publishers see it. */
public interface Neighbour {

    /** Jobs were committed in these queues; an empty name stands for some that are due later. */
    void wake(Set<String> queues);

    /**
     * Leases for those of the jobs that slots are free for and nothing waits before; {@code null} if there are none.
     */
    @Nullable
    DirectLeases offer(List<NewJob> jobs);

    /** The jobs are committed. */
    void committed(DirectLeases leases);

    /** The jobs were not published after all, or nobody knows. */
    void withdrawn(DirectLeases leases);
}
