package dev.jobqueue.internal;

import dev.jobqueue.spi.JobEvent;
import java.time.Duration;
import java.util.List;

/**
 * What happens on this node, for its meters and its listeners. Called on the threads that do the work: must be quick,
 * and must not throw. The meters count here and not as listeners, because listeners may miss events.
 */
public interface QueueEvents {

    /** Nobody counts. */
    QueueEvents NONE = new QueueEvents() {};

    /** So many jobs were published; in a transaction, it has committed. */
    default void published(String queue, String type, int jobs) {}

    /** Whether somebody wants {@link #published(List, int)} and {@link #started}, which are not called otherwise. */
    default boolean followsJobs() {
        return false;
    }

    /**
     * The jobs of one commit.
     *
     * @param leftOut how many more there were
     */
    default void published(List<JobEvent.Published> jobs, int leftOut) {}

    /** A run began. */
    default void started(JobEvent.Started run) {}

    /** A run ended, and the database knows. */
    default void ended(JobEvent.Ended run) {}

    /** Listeners were too slow to be told of so many events. */
    default void dropped(int events) {}

    /** A claim came back with so many jobs. */
    default void claimed(Duration took, int jobs) {}

    /** A batch of runs was settled. */
    default void settled(Duration took, int jobs) {}

    /** Jobs of dead nodes, or that outlived their timeout, were taken back. */
    default void rescued(List<JobEvent.Rescued> jobs) {}

    /** A schedule published a job, so much later than it was due. */
    default void scheduleFired(String name, Duration lag) {}

    /** A run of a schedule was left out, because its last one had not ended. */
    default void scheduleSkipped(String name) {}

    /** Due times of a schedule passed without a job, because no node was up. */
    default void scheduleMissed(String name, int count) {}
}
