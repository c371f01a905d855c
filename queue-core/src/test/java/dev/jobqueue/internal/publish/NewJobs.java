package dev.jobqueue.internal.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes the jobs that tests insert: with all defaults, but for what a test sets. */
public final class NewJobs {

    private final UUID id;
    private final String type;
    private final String payload;
    private boolean givenId;
    private @Nullable String queue;
    private int priority;
    private @Nullable Instant runAt;
    private @Nullable Duration delay;
    private @Nullable Integer maxAttempts;
    private @Nullable Duration timeout;
    private @Nullable String uniqueKey;
    private @Nullable String headers;
    private UniqueRules uniqueRules = UniqueRules.NONE;

    private NewJobs(UUID id, String type, String payload) {
        this.id = id;
        this.type = type;
        this.payload = payload;
    }

    /** A job with all defaults. */
    public static NewJob of(UUID id, String type, String payload) {
        return with(id, type, payload).build();
    }

    public static NewJobs with(UUID id, String type, String payload) {
        return new NewJobs(id, type, payload);
    }

    /** Sets whether the caller chose the id, and may publish it more than once. */
    public NewJobs givenId(boolean givenId) {
        this.givenId = givenId;
        return this;
    }

    public NewJobs queue(@Nullable String queue) {
        this.queue = queue;
        return this;
    }

    public NewJobs priority(int priority) {
        this.priority = priority;
        return this;
    }

    public NewJobs runAt(@Nullable Instant runAt) {
        this.runAt = runAt;
        return this;
    }

    public NewJobs delay(@Nullable Duration delay) {
        this.delay = delay;
        return this;
    }

    public NewJobs maxAttempts(@Nullable Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
        return this;
    }

    public NewJobs timeout(@Nullable Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    public NewJobs uniqueKey(@Nullable String uniqueKey) {
        this.uniqueKey = uniqueKey;
        return this;
    }

    public NewJobs headers(@Nullable String headers) {
        this.headers = headers;
        return this;
    }

    public NewJobs uniqueRules(UniqueRules uniqueRules) {
        this.uniqueRules = uniqueRules;
        return this;
    }

    public NewJob build() {
        return new NewJob(
                id,
                givenId,
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
                null,
                null);
    }
}
