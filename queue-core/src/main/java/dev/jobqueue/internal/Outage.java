package dev.jobqueue.internal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A database that is away: said once when it goes, once when it is back, with growing pauses in between. */
public final class Outage {

    private static final Logger log = LoggerFactory.getLogger(Outage.class);

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private final String who;
    private int failures;
    private long since;

    public Outage(String who) {
        this.who = who;
    }

    /** Notes a failed call and tells how long to wait before the next one. */
    public synchronized Duration failed(Exception ex) {
        if (failures++ == 0) {
            since = System.nanoTime();
            log.warn("{}: the database does not answer, will try until it does: {}", who, ex.toString());
        }
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10));
        return Duration.ofMillis(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1));
    }

    /** Notes a call that went well. */
    public synchronized void over() {
        if (failures > 0) {
            log.info("{}: the database answers again after {} ms", who, (System.nanoTime() - since) / 1_000_000);
            failures = 0;
        }
    }

    public synchronized boolean isOn() {
        return failures > 0;
    }
}
