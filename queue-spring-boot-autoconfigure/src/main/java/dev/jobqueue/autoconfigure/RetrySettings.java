package dev.jobqueue.autoconfigure;

import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.Spans;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The retry policy of a type: that of its handler, overridden by properties. Refuses properties that are wrong. */
final class RetrySettings {

    private final String type;
    private final RetryPolicy base;
    private final QueueProperties.@Nullable Retry retry;

    RetrySettings(String type, @Nullable RetryPolicy own, QueueProperties.@Nullable Retry retry) {
        this.type = type;
        this.base = own == null ? RetryPolicy.DEFAULT : own;
        this.retry = retry;
    }

    RetryPolicy policy() {
        if (retry == null) {
            return base;
        }
        check("max-attempts", retry.maxAttempts(), atLeast(retry.maxAttempts(), 1), "must be at least 1");
        check("backoff", retry.backoff(), isSpan(retry.backoff()), "must not be negative, and at most 10 years");
        check("factor", retry.factor(), isBetween(retry.factor(), 1, 100), "must be from 1 to 100");
        check("jitter", retry.jitter(), isBetween(retry.jitter(), 0, 1), "must be from 0 to 1");
        Duration backoff = or(retry.backoff(), base.backoff());
        Duration maximum = retry.maxBackoff();
        check(
                "max-backoff",
                maximum,
                maximum == null || (maximum.compareTo(backoff) >= 0 && isSpan(maximum)),
                "must be at least the backoff (" + Spans.text(backoff) + "), and at most 10 years");
        return new RetryPolicy(
                or(retry.maxAttempts(), base.maxAttempts()),
                backoff,
                or(retry.factor(), base.factor()),
                maximum == null ? longer(base.maximum(), backoff) : maximum,
                or(retry.jitter(), base.jitter()));
    }

    @Nullable
    Duration timeout(@Nullable Duration own) {
        Duration timeout = retry == null ? null : retry.timeout();
        check(
                "timeout",
                timeout,
                timeout == null || (!timeout.isZero() && isSpan(timeout)),
                "must be above zero, and at most 10 years");
        return timeout == null ? own : timeout;
    }

    static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private void check(String property, @Nullable Object value, boolean right, String rule) {
        if (value != null && !right) {
            throw new InvalidQueueConfigurationException(
                    "queue.retry[" + type + "]." + property,
                    value,
                    rule,
                    "Correct the property, or leave it out to get what the handler says.");
        }
    }

    private static boolean atLeast(@Nullable Integer value, int least) {
        return value == null || value >= least;
    }

    private static boolean isSpan(@Nullable Duration value) {
        return value == null || (!value.isNegative() && value.compareTo(Spans.LONGEST) <= 0);
    }

    private static boolean isBetween(@Nullable Double value, double least, double most) {
        return value == null || (value >= least && value <= most);
    }

    private static <T> T or(@Nullable T value, T fallback) {
        return value == null ? fallback : value;
    }
}
