package dev.jobqueue.internal.schedule;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to do for a schedule that is due.
 *
 * @param next when it is due next
 * @param fireAts the due times to publish jobs for
 * @param missed how many due times get no job
 * @param problem why it cannot be fired any more
 */
public record ScheduleRun(
        DueSchedule due,
        @Nullable Instant next,
        List<Instant> fireAts,
        int missed,
        @Nullable String problem) {}
