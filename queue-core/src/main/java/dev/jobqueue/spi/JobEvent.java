package dev.jobqueue.spi;

import dev.jobqueue.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a {@link JobListener} is told of a job. Events carry no payload, no headers and no stack trace. */
public sealed interface JobEvent {

    /** {@return the id of the job} */
    UUID id();

    /** {@return the type of the job} */
    String type();

    /** {@return the queue of the job} */
    String queue();

    /** {@return when it happened, by the clock of this node} */
    Instant at();

    /**
     * A job was published on this node, and its transaction has committed.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param queue the queue of the job
     * @param at when it was published
     * @param runAt when it is due; {@code null} if at once
     */
    record Published(
            UUID id,
            String type,
            String queue,
            Instant at,
            @Nullable Instant runAt) implements JobEvent {}

    /**
     * A run of a job began on this node.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param queue the queue of the job
     * @param at when the run began
     * @param attempt the number of the attempt, from 1
     * @param waited how long the job was due when it was claimed
     */
    record Started(UUID id, String type, String queue, Instant at, int attempt, Duration waited) implements JobEvent {}

    /**
     * A run of a job ended, and the database knows.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param queue the queue of the job
     * @param at when the end was stored
     * @param attempt the number of the attempt, from 1
     * @param ending how the run ended
     * @param waited how long the job was due when it was claimed
     * @param ran how long the handler took; zero if it was not called, or has not returned
     * @param error the first line of the error; {@code null} if there is none
     * @param nextAttemptAt when the next attempt is due; {@code null} if the attempt did not throw, or was the last
     */
    record Ended(
            UUID id,
            String type,
            String queue,
            Instant at,
            int attempt,
            JobEnding ending,
            Duration waited,
            Duration ran,
            @Nullable String error,
            @Nullable Instant nextAttemptAt)
            implements JobEvent {}

    /**
     * This node took a job back from a node that is gone, or after its timeout.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param queue the queue of the job
     * @param at when it was taken back
     * @param attempt the number of the attempt that was lost, from 1
     * @param state what became of the job: {@code PENDING}, or {@code SCHEDULED}, {@code DEAD}, {@code CANCELLED}
     * @param reason why it was taken back
     */
    record Rescued(UUID id, String type, String queue, Instant at, int attempt, JobState state, String reason)
            implements JobEvent {}

    /**
     * A job was cancelled: while it waited, by {@code JobOperations} or the endpoint of this node; or while it ran on
     * this node, after the run was stopped.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param queue the queue of the job
     * @param at when it was cancelled
     * @param attempts how many attempts the job had, the one that was stopped included
     * @param ran whether the job ran when it was cancelled
     */
    record Cancelled(UUID id, String type, String queue, Instant at, int attempts, boolean ran) implements JobEvent {}
}
