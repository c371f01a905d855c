package dev.jobqueue;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that was told to come back later, for example by the status 429 of a server it calls. The attempt
 * does not count. No job with the same key of the limit starts before that time has passed: of the limit that is named,
 * or of the job's first one in the order of their names. A job without limits is only put off.
 */
public class RateLimitedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** After which time to try again. */
    private final Duration retryAfter;
    /** The limit that is closed meanwhile. */
    private final @Nullable String limit;

    /**
     * For the first limit of the job.
     *
     * @param retryAfter how long to wait, from 0 to 10 years
     */
    public RateLimitedException(Duration retryAfter) {
        this(retryAfter, null);
    }

    /**
     * For the given limit of the job.
     *
     * @param retryAfter how long to wait, from 0 to 10 years
     * @param limit the name of the limit; {@code null} for the first one
     */
    public RateLimitedException(Duration retryAfter, @Nullable String limit) {
        super("Rate limited for " + Objects.requireNonNull(retryAfter, "retryAfter"));
        Ranges.requireDelay("retryAfter", retryAfter);
        this.retryAfter = retryAfter;
        this.limit = limit;
    }

    /** {@return how long to wait} */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** {@return the name of the limit; {@code null} for the first of the job} */
    public @Nullable String limit() {
        return limit;
    }
}
