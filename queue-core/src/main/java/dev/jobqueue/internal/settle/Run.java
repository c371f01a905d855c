package dev.jobqueue.internal.settle;

import dev.jobqueue.spi.JobEnding;
import java.time.Duration;
import java.util.UUID;

/** One run of a job on this node, as far as settling it needs to know. */
public interface Run {

    JobLease lease();

    UUID id();

    String type();

    String queue();

    int attempt();

    int maxAttempts();

    /** Whether a slot took it, even if its handler has returned by now. */
    boolean hasBegun();

    /** Whether the job has limits, so that others may start when it ends. */
    default boolean isLimited() {
        return false;
    }

    /** Whether the job belongs to a batch or flow, which may go on when it ends. */
    default boolean isLinked() {
        return false;
    }

    /** What became of it, as far as the database knows. */
    default void settled(JobEnding ending) {}

    /** How long the job was due when it was claimed. */
    Duration waited();

    /** How long the handler took; zero while it runs. */
    Duration ran();
}
