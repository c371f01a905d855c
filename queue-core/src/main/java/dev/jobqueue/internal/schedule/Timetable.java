package dev.jobqueue.internal.schedule;

import dev.jobqueue.InvalidJobException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** When a schedule is due. */
public interface Timetable {

    /** The first due time after the given instant; {@code null} if there is none. */
    @Nullable
    Instant next(Instant after);

    /** The due times from the first to now, both included: how many, and the latest of them, at most so many. */
    Due due(Instant first, Instant now, int most);

    /**
     * The timetable of a cron expression or an interval, whichever is given.
     *
     * @throws InvalidJobException that says which field is wrong
     */
    static Timetable of(@Nullable String cron, @Nullable Duration every, String zone) {
        if (cron != null && every == null) {
            return Cron.parse(cron, zone(zone));
        }
        if (every != null && cron == null) {
            return new Every(every);
        }
        throw new InvalidJobException("a schedule needs either cron or every, and not both");
    }

    static ZoneId zone(String zone) {
        try {
            return ZoneId.of(zone);
        } catch (DateTimeException ex) {
            throw new InvalidJobException(
                    "zone is '%s': must be a time zone such as Europe/Berlin or UTC".formatted(zone), ex);
        }
    }

    /** Due times that have come. */
    record Due(long count, List<Instant> latest) {}
}
