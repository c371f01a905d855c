package dev.jobqueue;

import java.time.Duration;

/**
 * How often and how soon a job is tried again: after attempt {@code n} it waits {@code backoff * factor^(n-1)}, at most
 * {@code maximum}, less a random share of up to {@code jitter} of it.
 *
 * @param maxAttempts attempts in all, at least 1
 * @param backoff the delay after the first attempt
 * @param factor what each further delay is multiplied with, from 1 to 100
 * @param maximum the longest delay
 * @param jitter the random share, from 0 to 1
 */
public record RetryPolicy(int maxAttempts, Duration backoff, double factor, Duration maximum, double jitter) {

    /** Three attempts: the second one minute after the first, the third two minutes after the second. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(3, Duration.ofMinutes(1), 2, Duration.ofHours(1), 0.1);

    /**
     * Checks the values.
     *
     * @param maxAttempts attempts in all, at least 1
     * @param backoff the delay after the first attempt, from 0 to 10 years
     * @param factor what each further delay is multiplied with, from 1 to 100
     * @param maximum the longest delay, from 0 to 10 years
     * @param jitter the random share, from 0 to 1
     * @throws InvalidJobException if one is out of its range
     */
    public RetryPolicy {
        require(maxAttempts >= 1, "maxAttempts", maxAttempts, "must be at least 1");
        Ranges.requireDelay("backoff", backoff);
        require(factor >= 1 && factor <= 100, "factor", factor, "must be from 1 to 100");
        Ranges.requireDelay("maximum", maximum);
        require(jitter >= 0 && jitter <= 1, "jitter", jitter, "must be from 0 to 1");
    }

    private static void require(boolean right, String name, Object value, String rule) {
        if (!right) {
            throw new InvalidJobException("Retry policy: %s '%s' %s".formatted(name, value, rule));
        }
    }
}
