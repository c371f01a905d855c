package dev.jobqueue.internal.store;

import dev.jobqueue.internal.Texts;
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

    /** A character that JSON can have and PostgreSQL cannot; or a backslash before something that looks like it. */
    private static final String NUL = "\\u0000";

    public NewJob {
        Texts.requireWhole("type", type);
        Texts.requireWhole("queue", queue);
        Texts.requireWhole("unique_key", uniqueKey);
    }

    /** The ordinary job: all defaults. */
    public static NewJob of(UUID id, String type, String payload) {
        return new NewJob(id, false, type, payload, null, 0, null, null, null, null, null, null);
    }

    /**
     * Due at once, under an id of its own and with the defaults of its type: nothing it could conflict with, and nothing in
     * its texts that PostgreSQL may refuse.
     */
    boolean isPlain() {
        return !givenId
                && runAt == null
                && delay == null
                && maxAttempts == null
                && timeout == null
                && uniqueKey == null
                && !payload.contains(NUL)
                && (headers == null || !headers.contains(NUL));
    }
}
