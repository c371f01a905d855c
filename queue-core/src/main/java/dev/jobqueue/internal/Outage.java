package dev.jobqueue.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows calls to the database: logs once when it goes away and once when it is back, with growing pauses between. */
public final class Outage {

    private static final Logger log = LoggerFactory.getLogger(Outage.class);

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private final String who;
    private int failures;
    private long since;
    private @Nullable Long calledAt;
    private String error = "";
    private boolean refused;

    public Outage(String who) {
        this.who = who;
    }

    /** Notes that a call is made: one that never comes back is an outage too. */
    public synchronized void begins() {
        calledAt = System.nanoTime();
    }

    /** Notes a failed call and tells how long to wait before the next one. */
    public synchronized Duration failed(Throwable ex) {
        boolean refusedBefore = refused;
        error = Errors.reason(ex);
        refused = DatabaseErrors.isRefusal(ex);
        if (failures++ == 0) {
            since = calledAt != null ? calledAt : System.nanoTime();
            tell();
        } else if (refused && !refusedBefore) {
            // the database answers, so that waiting does not help
            tell();
        }
        calledAt = null;
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10));
        return Duration.ofMillis(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1));
    }

    private void tell() {
        log.warn(
                refused
                        ? "{}: the database refuses, will try until it does not: {}"
                        : "{}: the database does not answer, will try until it does: {}",
                who,
                error);
    }

    /** Notes a call that went well. */
    public synchronized void over() {
        calledAt = null;
        if (failures > 0) {
            log.info("{}: the database works again after {} ms", who, (System.nanoTime() - since) / 1_000_000);
            failures = 0;
            refused = false;
        }
    }

    public synchronized boolean isOn() {
        return failures > 0;
    }

    /** What is known of it now; nothing if the last call went well and none is under way. */
    public synchronized Optional<Report> report() {
        if (failures > 0) {
            return Optional.of(new Report(who, ago(since), error, refused));
        }
        return Optional.ofNullable(calledAt).map(at -> new Report(who, ago(at), "no answer yet", false));
    }

    /** Why a call of the database failed, in one sentence: it refused the call, or it did not answer. */
    public static String describe(Throwable ex) {
        String verb = DatabaseErrors.isRefusal(ex) ? "refuses" : "did not answer";
        return "The database %s: %s".formatted(verb, Errors.reason(ex));
    }

    private static Duration ago(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /**
     * An outage that goes on, or a call that is under way.
     *
     * @param who who waits for the database
     * @param lasts for how long
     * @param error the last error
     * @param refused whether the database answers, and refuses
     */
    public record Report(String who, Duration lasts, String error, boolean refused) {

        @Override
        public String toString() {
            return "%s: the database %s this node for %d s (%s)"
                    .formatted(who, refused ? "has refused" : "has not answered", lasts.toSeconds(), error);
        }
    }
}
