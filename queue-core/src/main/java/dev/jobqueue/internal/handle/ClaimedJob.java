package dev.jobqueue.internal.handle;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.flow.FlowPlace;
import dev.jobqueue.internal.settle.JobLease;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that this worker has just claimed, with everything that handling it needs. JSON is still text; it is decoded on
 * the thread of the handler.
 *
 * @param steps the finished steps as a JSON object, {@code null} if there are none
 * @param waitMillis how long it was due when it was claimed, by the database's clock
 * @param timeoutMillis how long this attempt may take, {@code null} if as long as it likes
 * @param limited whether it has limits, so that others may start when it ends
 * @param place the batch or flow that it belongs to; {@code null} if to none
 * @param lane the same for all jobs of a FIFO lane; {@code null} if it is in none
 */
public record ClaimedJob(
        JobLease lease,
        String queue,
        String type,
        String payload,
        int attempt,
        int maxAttempts,
        @Nullable String headers,
        @Nullable String steps,
        @Nullable Integer percent,
        @Nullable String stage,
        Instant createdAt,
        Instant runAt,
        @Nullable Long timeoutMillis,
        long waitMillis,
        boolean limited,
        @Nullable FlowPlace place,
        @Nullable Long lane) {

    /** So many characters are not worth a copy of the job without them. */
    private static final int SMALL = 1_000;

    /** How many characters its payload, headers and steps have. */
    public int length() {
        return payload.length() + length(headers) + length(steps);
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /** How long this attempt may take; {@code null} if as long as it likes. */
    public @Nullable Duration timeout(HandlerDefinition handler) {
        return timeoutMillis != null ? Duration.ofMillis(timeoutMillis) : handler.timeout();
    }

    /** Returns this job without payload, headers and steps, if these are large and there is memory for a copy. */
    ClaimedJob withoutContent() {
        try {
            return length() > SMALL ? emptied() : this;
        } catch (OutOfMemoryError ex) {
            return this;
        }
    }

    private ClaimedJob emptied() {
        return new ClaimedJob(
                lease,
                queue,
                type,
                "",
                attempt,
                maxAttempts,
                null,
                null,
                percent,
                stage,
                createdAt,
                runAt,
                timeoutMillis,
                waitMillis,
                limited,
                place,
                lane);
    }
}
