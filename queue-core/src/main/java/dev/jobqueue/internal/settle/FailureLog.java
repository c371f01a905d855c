package dev.jobqueue.internal.settle;

import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.Errors;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs attempts that threw: a warning while attempts are left, an error when the job is dead. Only so many lines of
 * each type and level are logged in a minute, and then the number of those left out, so that a storm of failures does
 * not fill the disk. For one thread only.
 */
public final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger("dev.jobqueue.failures");

    /** What is logged of an attempt that threw. */
    public enum Detail {
        /** Nothing. */
        NONE,
        /** One line, and the stack trace at level DEBUG. */
        LINE,
        /** The stack trace too. */
        STACK_TRACE
    }

    static final int MOST_A_MINUTE = 10;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Detail detail;
    private final LongSupplier clock;
    private final Map<String, Window> warnings = new HashMap<>();
    private final Map<String, Window> errors = new HashMap<>();

    /**
     * @param clock the time in nanoseconds
     */
    public FailureLog(Detail detail, LongSupplier clock) {
        this.detail = detail;
        this.clock = clock;
    }

    /**
     * An attempt threw and the database knows.
     *
     * @param next when the next attempt is due; {@code null} if the job is dead
     */
    void threw(Outcome.Threw outcome, @Nullable Instant next) {
        Run job = outcome.job();
        if (detail == Detail.NONE || !isShown(next == null ? errors : warnings, job.type())) {
            return;
        }
        JobMdc.put(job);
        try {
            tell(outcome, next);
        } finally {
            JobMdc.clear();
        }
    }

    private void tell(Outcome.Threw outcome, @Nullable Instant next) {
        Run job = outcome.job();
        String error = detail == Detail.STACK_TRACE || log.isDebugEnabled()
                ? outcome.error()
                : Errors.firstLine(outcome.error());
        if (next == null) {
            log.error(
                    "Job {} ('{}') is dead, attempt {} of {} threw{}: {}",
                    job.id(),
                    job.type(),
                    job.attempt(),
                    job.maxAttempts(),
                    outcome.retry() ? "" : " and wants no other",
                    error);
        } else {
            log.warn(
                    "Attempt {} of {} of job {} ('{}') threw, next try at {}: {}",
                    job.attempt(),
                    job.maxAttempts(),
                    job.id(),
                    job.type(),
                    next,
                    error);
        }
    }

    /** Tells of those that were left out, once their minute is over. */
    void tellLeftOut() {
        tellLeftOut(warnings, "attempt", "Not logged: {} of type '{}' that threw within a minute");
        tellLeftOut(errors, "job", "Not logged: {} of type '{}' that died within a minute");
    }

    private void tellLeftOut(Map<String, Window> windows, String noun, String message) {
        for (Iterator<Map.Entry<String, Window>> all = windows.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<String, Window> each = all.next();
            Window window = each.getValue();
            if (clock.getAsLong() - window.began >= WINDOW.toNanos()) {
                all.remove();
                if (window.leftOut > 0) {
                    log.warn(message, Counts.of(window.leftOut, noun), each.getKey());
                }
            }
        }
    }

    private boolean isShown(Map<String, Window> windows, String type) {
        Window window = windows.computeIfAbsent(type, each -> new Window(clock.getAsLong()));
        if (window.shown < MOST_A_MINUTE) {
            window.shown++;
            return true;
        }
        window.leftOut++;
        return false;
    }

    /** What was logged of one type since the first of them. */
    private static final class Window {

        private final long began;
        private int shown;
        private int leftOut;

        Window(long began) {
            this.began = began;
        }
    }
}
