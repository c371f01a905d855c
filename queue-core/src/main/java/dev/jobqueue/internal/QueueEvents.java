package dev.jobqueue.internal;

import dev.jobqueue.JobState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What happens on this node, for whoever counts it. Called on the threads that do the work: must be quick. */
public interface QueueEvents {

    /** Nobody counts. */
    QueueEvents NONE = new QueueEvents() {};

    /** How a run of a job ended. */
    enum Ending {
        COMPLETED,
        RETRIED,
        DEAD,
        CANCELLED,
        SNOOZED,
        RELEASED,
        LEASE_LOST;

        /** What became of a job whose attempt threw; {@code null} if the lease was lost. */
        public static Ending ofFailure(@Nullable JobState state) {
            if (state == null) {
                return LEASE_LOST;
            }
            return switch (state) {
                case DEAD -> Ending.DEAD;
                case CANCELLED -> Ending.CANCELLED;
                default -> Ending.RETRIED;
            };
        }
    }

    /** So many jobs were published; in a transaction, it has committed. */
    default void published(String queue, String type, int jobs) {}

    /** A run ended, and the database knows. */
    default void handled(String queue, String type, Ending ending, Duration wait, Duration run) {}

    /** A claim came back with so many jobs. */
    default void claimed(Duration took, int jobs) {}

    /** A batch of runs was settled. */
    default void settled(Duration took, int jobs) {}

    /** Jobs of dead nodes, or that outlived their timeout, were taken back. */
    default void rescued(int jobs) {}

    /** A schedule published a job, so much later than it was due. */
    default void scheduleFired(String name, Duration lag) {}

    /** A run of a schedule was left out, because its last one had not ended. */
    default void scheduleSkipped(String name) {}

    /** Due times of a schedule passed without a job, because no node was up. */
    default void scheduleMissed(String name, int count) {}
}
