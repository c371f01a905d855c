package dev.jobqueue.spi;

import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowState;
import java.time.Duration;

/**
 * Counts and times what happens on this node. The meters of Micrometer are built on this. In a Spring application it is
 * enough to declare one as a bean.
 *
 * <p>Unlike a {@link JobListener}, a meter misses nothing: it is called on the threads that do the work, for every
 * event. It must therefore be quick, must not block and must not throw. Use a {@link JobListener} for everything that
 * does not have to be counted.
 */
public interface NodeMeter {

    /**
     * Jobs were published on this node, and their transaction has committed.
     *
     * @param queue the queue of the jobs
     * @param type the type of the jobs
     * @param jobs how many jobs were published
     */
    default void published(String queue, String type, int jobs) {}

    /**
     * A run of a job ended on this node, and the database knows how.
     *
     * @param run the run
     */
    default void ended(JobEvent.Ended run) {}

    /**
     * The database answered a claim of this node.
     *
     * @param took how long the call took
     * @param jobs how many jobs the claim brought
     */
    default void claimed(Duration took, int jobs) {}

    /**
     * The database was told how a batch of runs ended.
     *
     * @param took how long the calls took
     * @param jobs how many runs were in the batch
     */
    default void settled(Duration took, int jobs) {}

    /**
     * This node took jobs back from nodes that are gone, or after their timeout.
     *
     * @param jobs how many jobs were taken back
     */
    default void rescued(int jobs) {}

    /**
     * Listeners were too slow, and events were dropped.
     *
     * @param events how many events were dropped
     */
    default void dropped(int events) {}

    /**
     * A schedule published a job.
     *
     * @param name the name of the schedule
     * @param lag how much later than its due time the job was published
     */
    default void scheduleFired(String name, Duration lag) {}

    /**
     * A schedule left out a run, because its last job had not ended.
     *
     * @param name the name of the schedule
     */
    default void scheduleSkipped(String name) {}

    /**
     * Due times of a schedule passed without a job, because no node was up.
     *
     * @param name the name of the schedule
     * @param count how many due times were missed
     */
    default void scheduleMissed(String name, int count) {}

    /**
     * A batch or flow finished, as this node found.
     *
     * @param kind whether it is a batch or a flow
     * @param name its name
     * @param state how it finished
     * @param took how long after it was published, or after it went on for another round
     */
    default void flowFinished(FlowKind kind, String name, FlowState state, Duration took) {}
}
