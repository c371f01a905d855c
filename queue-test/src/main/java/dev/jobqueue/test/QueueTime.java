package dev.jobqueue.test;

import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;

/** The time of the queue, as the connections of one database see it, also that of the transaction of the test. */
final class QueueTime {

    /** Leases are numbered by the time of claims, in milliseconds from 2026 that have 40 bits. */
    private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");

    private static final Instant LATEST = Instant.parse("2060-01-01T00:00:00Z");

    private final TestClock clock;
    private final DataSource dataSource;

    QueueTime(TestClock clock, DataSource dataSource) {
        this.clock = clock;
        this.dataSource = dataSource;
    }

    TestClock clock() {
        return clock;
    }

    Instant now() {
        return clock.instant();
    }

    /** The time after this duration. */
    Instant after(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    "advance(%s): time passes in one direction only. setTime sets the clock back.".formatted(duration));
        }
        if (duration.compareTo(Duration.between(now(), LATEST)) > 0) {
            throw new IllegalArgumentException(
                    "advance(%s): the time of a test must be before %s".formatted(duration, LATEST));
        }
        return now().plus(duration);
    }

    void moveTo(Instant time) {
        if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
            throw new IllegalArgumentException(
                    "The time of a test must be between %s and %s, not %s".formatted(EARLIEST, LATEST, time));
        }
        clock.offset(Duration.between(Instant.now(), time));
        applyAgain();
    }

    void reset() {
        clock.offset(Duration.ZERO);
        applyAgain();
    }

    /** A rollback to a savepoint takes back the setting of the session too. */
    void applyAgain() {
        clock.applyToTransaction(dataSource);
    }
}
