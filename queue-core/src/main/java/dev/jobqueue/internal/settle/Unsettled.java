package dev.jobqueue.internal.settle;

import dev.jobqueue.InvalidJobException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * An outcome that the database did not take, to be told again, alone.
 *
 * @param tries how often it was told in vain
 * @param at when to tell it again, in nanoseconds
 * @param asFailure whether it stands for another outcome that the database refused
 */
record Unsettled(Outcome outcome, int tries, long at, boolean asFailure) {

    private static final Logger log = LoggerFactory.getLogger(Unsettled.class);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final int MOST_DOUBLINGS = 4;

    static Unsettled of(Outcome outcome) {
        return new Unsettled(outcome, 0, System.nanoTime(), false);
    }

    boolean isDue() {
        return System.nanoTime() - at >= 0;
    }

    /** Returns this outcome for another try after a pause, which grows with each try. */
    Unsettled later() {
        long pause = FIRST_PAUSE.toNanos() << Math.min(tries, MOST_DOUBLINGS);
        return new Unsettled(outcome, tries + 1, System.nanoTime() + pause, asFailure);
    }

    /**
     * Whether a failure can be told instead. Not if the handler did nothing wrong: its node stops, or the database was
     * away. Such a job is left to be rescued.
     */
    boolean mayFail() {
        return !asFailure && !(outcome instanceof Outcome.Released) && !(outcome instanceof Outcome.Undone);
    }

    /**
     * The outcome to write instead: the attempt threw. Data that the database refused would be refused again. If a
     * rate-limited attempt names a limit that the job does not have, its first limit is closed.
     */
    Unsettled failed(Throwable reason) {
        if (outcome instanceof Outcome.RateLimited limited && limited.limit() != null) {
            log.warn(
                    "Job {}: {}. Its first limit is closed instead.",
                    outcome.job().id(),
                    reason.getMessage());
            return new Unsettled(new Outcome.RateLimited(limited.job(), limited.retryAfter(), null), tries, at, false);
        }
        boolean retry = !(reason instanceof InvalidJobException || reason instanceof DataIntegrityViolationException);
        String error = "The outcome was refused: " + reason.getMessage();
        return new Unsettled(new Outcome.Threw(outcome.job(), error, retry), tries, at, true);
    }
}
