package dev.jobqueue.internal.publish;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.Texts;
import dev.jobqueue.spi.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is inserted: type known, payload and headers as JSON; {@code null} stands for the default.
 *
 * @param givenId whether the caller chose the id, and may publish it more than once
 * @param limits an object of limits and keys as JSON
 * @param batch the batch that it is a member of; {@code null} if of none
 */
public record NewJob(
        UUID id,
        boolean givenId,
        String type,
        String payload,
        @Nullable String queue,
        int priority,
        @Nullable Instant runAt,
        @Nullable Duration delay,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeout,
        @Nullable String uniqueKey,
        @Nullable String headers,
        UniqueRules uniqueRules,
        @Nullable String limits,
        @Nullable UUID batch) {

    public NewJob {
        Texts.requireWhole("type", type);
        Texts.requireWhole("queue", queue);
        Texts.requireWhole("unique_key", uniqueKey);
    }

    /** The name of the queue in which the job waits. */
    public String queueName() {
        return queue == null ? HandlerDefinition.DEFAULT_QUEUE : queue;
    }

    /** The name of the queue; {@code null} for the default queue. */
    @Nullable
    String queueUnlessDefault() {
        return HandlerDefinition.DEFAULT_QUEUE.equals(queue) ? null : queue;
    }

    /** About how many characters these jobs have. */
    static long length(List<NewJob> jobs) {
        return jobs.stream()
                .mapToLong(job -> job.payload.length() + (job.headers == null ? 0L : job.headers.length()))
                .sum();
    }

    /** The same, of which nobody knows whether it is stored already. */
    NewJob again() {
        return new NewJob(
                id,
                true,
                type,
                payload,
                queue,
                priority,
                runAt,
                delay,
                maxAttempts,
                timeout,
                uniqueKey,
                headers,
                uniqueRules,
                limits,
                batch);
    }

    public boolean isDueAtOnce() {
        return runAt == null && delay == null;
    }

    /**
     * What listeners are told of it; a delay is counted from this time on.
     *
     * @param answer its id, or that of the job that was replaced
     */
    JobEvent.Published published(UUID answer, Instant now) {
        return new JobEvent.Published(answer, type, queueName(), now, delay == null ? runAt : now.plus(delay));
    }

    /** Whether publishing it may have to wait for a transaction that publishes the same key or id. */
    public boolean mayWaitForOthers() {
        return givenId || uniqueKey != null || !uniqueRules.equals(UniqueRules.NONE);
    }
}
