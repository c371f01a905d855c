package dev.jobqueue.internal.publish;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.Texts;
import dev.jobqueue.spi.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is inserted: type known, payload and headers as JSON; {@code null} stands for the default.
 *
 * @param givenId whether the caller chose the id, and may publish it more than once
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
        @Nullable String headers) {

    public NewJob {
        Texts.requireWhole("type", type);
        Texts.requireWhole("queue", queue);
        Texts.requireWhole("unique_key", uniqueKey);
    }

    /** A job with all defaults. */
    public static NewJob of(UUID id, String type, String payload) {
        return new NewJob(id, false, type, payload, null, 0, null, null, null, null, null, null);
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

    public boolean isDueAtOnce() {
        return runAt == null && delay == null;
    }

    /** What listeners are told of it; a delay is counted from this time on. */
    JobEvent.Published published(Instant now) {
        return new JobEvent.Published(id, type, queueName(), now, delay == null ? runAt : now.plus(delay));
    }

    /** Whether publishing it may have to wait for a transaction that publishes the same key or id. */
    public boolean mayWaitForOthers() {
        return givenId || uniqueKey != null;
    }
}
