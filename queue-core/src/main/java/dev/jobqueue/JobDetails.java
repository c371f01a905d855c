package dev.jobqueue;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a job, wherever it is in its life.
 *
 * @param id its id
 * @param queue the queue it is in
 * @param type its type
 * @param state where it is in its life
 * @param priority its priority
 * @param attempt how many attempts have begun
 * @param maxAttempts how many attempts it gets in all
 * @param percent how far it says it is, while it is live
 * @param stage what it says it does, while it is live
 * @param payload what it carries, as JSON
 * @param headers what travels along with it
 * @param result what its handler returned, as JSON
 * @param errors every attempt that threw
 * @param createdAt when it was published
 * @param runAt when it was or is due
 * @param claimedAt when a worker took it last
 * @param finishedAt when it was completed, cancelled or dead
 * @param cancelRequested whether somebody asked for it to be cancelled
 */
public record JobDetails(
        UUID id,
        String queue,
        String type,
        JobState state,
        int priority,
        int attempt,
        int maxAttempts,
        @Nullable Integer percent,
        @Nullable String stage,
        String payload,
        Map<String, String> headers,
        @Nullable String result,
        List<JobError> errors,
        Instant createdAt,
        Instant runAt,
        @Nullable Instant claimedAt,
        @Nullable Instant finishedAt,
        boolean cancelRequested) {

    /**
     * An attempt that threw.
     *
     * @param attempt which one, from 1
     * @param at when, by the database's clock
     * @param error type, message and the top of the stack
     */
    public record JobError(int attempt, Instant at, String error) {}
}
