package dev.jobqueue.internal.schedule;

import dev.jobqueue.schedule.JobSchedule.Misfire;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule that is due and that this transaction has locked.
 *
 * @param nextRunAt the time that has come; {@code null} if nobody has worked it out yet
 * @param countedFrom where to count from in that case
 * @param clock what the database's clock said
 */
public record DueSchedule(
        String name,
        @Nullable String cron,
        @Nullable Duration every,
        String zone,
        Misfire misfire,
        @Nullable Instant nextRunAt,
        Instant countedFrom,
        Instant clock) {}
