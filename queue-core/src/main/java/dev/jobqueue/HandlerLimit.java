package dev.jobqueue;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limit that the jobs of a handler have.
 *
 * @param limit the limit
 * @param key what it counts by: a path in the payload ({@code account.id}), a header ({@code header:tenant}), or {@code
 *     null} if all jobs share it
 */
public record HandlerLimit(LimitDefinition limit, @Nullable String key) {

    private static final String HEADER = "header:";
    private static final int LONGEST = 200;

    /**
     * Create a limit of a handler.
     *
     * @param limit the limit
     * @param key what it counts by; {@code null} if all jobs share it
     * @throws InvalidJobException if the key is none
     */
    public HandlerLimit {
        Objects.requireNonNull(limit, "limit");
        if (key != null && (key.isBlank() || key.length() > LONGEST || key.equals(HEADER))) {
            throw new InvalidJobException(
                    "key is '%s': must be a path in the payload (account.id) or a header (header:tenant), of at most %d"
                                    .formatted(key, LONGEST)
                            + " characters");
        }
    }
}
