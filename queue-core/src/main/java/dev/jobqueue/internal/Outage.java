package dev.jobqueue.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A database that is away: said once when it goes, once when it is back, with growing pauses in between. Nothing is
 * said of a short one that is over before a second has passed and two more tries have failed.
 */
public final class Outage {

    private static final Logger log = LoggerFactory.getLogger(Outage.class);

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;
    private static final long SHORT_NANOS = 1_000_000_000;
    private static final int FEW_FAILURES = 2;

    private final String who;
    private int failures;
    private long since;
    private @Nullable Long calledAt;
    private String error = "";
    private Answer answer = Answer.NONE;
    private boolean told;

    public Outage(String who) {
        this.who = who;
    }

    /** Notes that a call is made: one that never comes back is an outage too. */
    public synchronized void begins() {
        calledAt = System.nanoTime();
    }

    /** Notes a failed call and tells how long to wait before the next one. */
    public synchronized Duration failed(Throwable ex) {
        Answer before = answer;
        error = Errors.reason(ex);
        answer = Answer.of(ex);
        if (failures++ == 0) {
            since = calledAt != null ? calledAt : System.nanoTime();
        }
        // if it is back and refuses, waiting does not help any more
        boolean refuses = answer == Answer.REFUSAL;
        if (told ? refuses && before != Answer.REFUSAL : refuses || !isShort()) {
            tell();
        }
        calledAt = null;
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10));
        return Duration.ofMillis(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1));
    }

    private boolean isShort() {
        return failures <= FEW_FAILURES && System.nanoTime() - since < SHORT_NANOS;
    }

    private void tell() {
        told = true;
        log.warn("{}: the database {}: {}", who, answer.now, error);
    }

    /** Notes a call that went well. */
    public synchronized void over() {
        calledAt = null;
        if (told) {
            log.info("{}: the database works again after {} ms", who, (System.nanoTime() - since) / 1_000_000);
        }
        failures = 0;
        answer = Answer.NONE;
        told = false;
    }

    public synchronized boolean isOn() {
        return failures > 0;
    }

    /** What is known of it now; nothing if the last call went well and none is under way. */
    public synchronized Optional<Report> report() {
        if (failures > 0) {
            return Optional.of(new Report(who, ago(since), error, answer));
        }
        return Optional.ofNullable(calledAt).map(at -> new Report(who, ago(at), "no answer yet", Answer.NONE));
    }

    /** Why a call of the database failed, in one sentence: it refused, cannot be reached, or did not answer. */
    public static String describe(Throwable ex) {
        String verb = DatabaseErrors.isRefusal(ex)
                ? "refuses"
                : DatabaseErrors.isUnconnected(ex) ? "cannot be reached" : "did not answer";
        return "The database %s: %s".formatted(verb, Errors.reason(ex));
    }

    private static Duration ago(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /** What a database that does not work says. */
    public enum Answer {
        /** Nothing, as far as this node knows. */
        NONE("does not answer, will try until it does", "has not answered"),

        /** An error: its disk is full, for instance, or it shuts down. */
        ERROR("fails, will try until it does not", "has failed"),

        /** It does not let this role do it, and will not until somebody changes that. */
        REFUSAL("refuses, will try until it does not", "has refused");

        private final String now;
        private final String since;

        Answer(String now, String since) {
            this.now = now;
            this.since = since;
        }

        static Answer of(Throwable ex) {
            if (DatabaseErrors.isRefusal(ex)) {
                return REFUSAL;
            }
            return DatabaseErrors.isAnswer(ex) ? ERROR : NONE;
        }
    }

    /**
     * An outage that goes on, or a call that is under way.
     *
     * @param who who waits for the database
     * @param lasts for how long
     * @param error the last error
     * @param answer what the database does instead of what it should
     */
    public record Report(String who, Duration lasts, String error, Answer answer) {

        @Override
        public String toString() {
            return "%s: the database %s this node for %d s (%s)".formatted(who, answer.since, lasts.toSeconds(), error);
        }
    }
}
