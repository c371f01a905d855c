package dev.jobqueue.schedule;

import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it stands in the database.
 *
 * @param name its name, unique in the database
 * @param type the type of its jobs
 * @param payload the payload of its jobs, as JSON
 * @param queue the queue of its jobs
 * @param priority the priority of its jobs
 * @param cron the expression; {@code null} if it runs at an interval
 * @param every the interval; {@code null} if it runs by an expression
 * @param zone the time zone of the expression
 * @param misfire what becomes of runs that were missed
 * @param overlap whether runs may overlap
 * @param origin where it is defined
 * @param owner the application that defines it in code or configuration
 * @param paused whether somebody paused it
 * @param retired whether its owner defines it no longer; then it rests
 * @param problem why no node can fire it, {@code null} if all is well
 * @param nextRunAt when it is due next; {@code null} until a node has worked that out
 * @param lastRunAt when its last run was due
 * @param lastJobId the job of its last run
 * @param fired how many jobs it has published
 * @param skipped how many runs were left out because the last one had not ended
 * @param missed how many due times passed without a run because no node was up; at least so many
 */
public record Schedule(
        String name,
        String type,
        String payload,
        String queue,
        int priority,
        @Nullable String cron,
        @Nullable Duration every,
        String zone,
        Misfire misfire,
        Overlap overlap,
        Origin origin,
        @Nullable String owner,
        boolean paused,
        boolean retired,
        @Nullable String problem,
        @Nullable Instant nextRunAt,
        @Nullable Instant lastRunAt,
        @Nullable UUID lastJobId,
        long fired,
        long skipped,
        long missed) {

    /** Where a schedule is defined. */
    public enum Origin {

        /** By {@link JobSchedule} or a {@link ScheduleDefinition} bean. */
        CODE,

        /** By properties. */
        CONFIG,

        /** At run time. */
        API
    }
}
