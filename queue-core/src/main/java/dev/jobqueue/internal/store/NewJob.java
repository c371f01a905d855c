package dev.jobqueue.internal.store;

import dev.jobqueue.internal.Texts;
import java.nio.charset.StandardCharsets;
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

    private static final String DEFAULT_QUEUE = "default";

    /** What the setting max_payload_bytes always allows. */
    private static final int SMALL_BYTES = 1_000;

    private static final int MOST_BYTES_OF_A_CHARACTER = 3;

    private static final int LONGEST_NAME = 200;

    public NewJob {
        Texts.requireWhole("type", type);
        Texts.requireWhole("queue", queue);
        Texts.requireWhole("unique_key", uniqueKey);
    }

    /** The ordinary job: all defaults. */
    public static NewJob of(UUID id, String type, String payload) {
        return new NewJob(id, false, type, payload, null, 0, null, null, null, null, null, null);
    }

    /** Where it waits, also if nobody said so. */
    public String queueName() {
        return queue == null ? DEFAULT_QUEUE : queue;
    }

    /** The same, {@code null} for the default. */
    @Nullable
    String queueUnlessDefault() {
        return DEFAULT_QUEUE.equals(queue) ? null : queue;
    }

    /** Whether publishing it may have to wait for a transaction that publishes the same key or id. */
    public boolean mayWaitForOthers() {
        return givenId || uniqueKey != null;
    }

    /**
     * Due at once, under an id of its own and with the defaults of its type: nothing it could conflict with, and nothing in
     * its texts that PostgreSQL may refuse.
     */
    boolean isPlain() {
        return !mayWaitForOthers()
                && runAt == null
                && delay == null
                && maxAttempts == null
                && timeout == null
                && !payload.contains(NUL)
                && (headers == null || !headers.contains(NUL));
    }

    /** Plain, with a small payload and ordinary names, so that nobody has to say what is wrong with it. */
    boolean isOrdinary() {
        return isPlain() && isOrdinary(type) && (queue == null || isOrdinary(queue)) && isSmall(payload);
    }

    /** In the usual queue, with no priority and no headers. */
    boolean hasDefaults() {
        return queueUnlessDefault() == null && priority == 0 && headers == null;
    }

    private static boolean isSmall(String payload) {
        if (payload.length() <= SMALL_BYTES / MOST_BYTES_OF_A_CHARACTER) {
            return true;
        }
        return payload.length() <= SMALL_BYTES && payload.getBytes(StandardCharsets.UTF_8).length <= SMALL_BYTES;
    }

    private static boolean isOrdinary(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) <= ' ' || name.charAt(i) >= 0x7f) {
                return false;
            }
        }
        return !name.isEmpty() && name.length() <= LONGEST_NAME;
    }
}
