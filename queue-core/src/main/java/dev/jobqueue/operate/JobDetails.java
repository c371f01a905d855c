package dev.jobqueue.operate;

import dev.jobqueue.JobState;
import java.time.Duration;
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
 * @param workerId the worker that has it or had it last, if any
 * @param timeout how long one attempt may take; {@code null} for no limit
 * @param uniqueKey its unique key, if it has one
 * @param limits its limits with their keys, which are empty where all jobs share the limit
 * @param deadReason why it is dead; {@code null} if it is not
 * @param steps the steps it finished, in the order they were
 * @param events progress and log lines, the oldest first; the last 1,000
 * @param flowId the batch or flow that it belongs to; {@code null} if to none
 * @param flowStep the name of its step; {@code null} if it is not a step of a flow
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
        boolean cancelRequested,
        @Nullable UUID workerId,
        @Nullable Duration timeout,
        @Nullable String uniqueKey,
        Map<String, String> limits,
        @Nullable String deadReason,
        List<Step> steps,
        List<Event> events,
        @Nullable UUID flowId,
        @Nullable String flowStep) {

    /** {@return how long it waited from due to claimed; {@code null} if it was not claimed} */
    public @Nullable Duration waited() {
        return claimedAt == null ? null : Duration.between(runAt.isAfter(createdAt) ? runAt : createdAt, claimedAt);
    }

    /** {@return how long its last attempt took; {@code null} if it has not ended, or never began} */
    public @Nullable Duration ran() {
        return claimedAt == null || finishedAt == null ? null : Duration.between(claimedAt, finishedAt);
    }

    /**
     * An attempt that threw.
     *
     * @param attempt which one, from 1
     * @param at when, by the database's clock
     * @param error type, message and the top of the stack
     */
    public record JobError(int attempt, Instant at, String error) {}

    /**
     * A step that the job finished, and that no further attempt repeats.
     *
     * @param name its name
     * @param finishedAt when it was finished
     * @param result what it returned, as JSON
     */
    public record Step(
            String name, Instant finishedAt, @Nullable String result) {}

    /**
     * What the job told while it ran: how far it was ({@code PROGRESS}), or a line of its log ({@code LOG}).
     *
     * @param number its number, from 1
     * @param at when, by the database's clock
     * @param kind {@code PROGRESS} or {@code LOG}
     * @param level the level of the line; {@code null} for progress
     * @param percent how far it was; {@code null} for a line
     * @param stage what it did; {@code null} for a line, or if it did not say
     * @param message the line; {@code null} for progress
     */
    public record Event(
            int number,
            Instant at,
            String kind,
            @Nullable String level,
            @Nullable Integer percent,
            @Nullable String stage,
            @Nullable String message) {}
}
