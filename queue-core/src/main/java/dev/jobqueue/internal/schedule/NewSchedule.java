package dev.jobqueue.internal.schedule;

import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import dev.jobqueue.schedule.Schedule.Origin;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A schedule as it is stored: payload and headers as JSON; {@code null} stands for the default. */
public record NewSchedule(
        String name,
        String type,
        String payload,
        @Nullable String cron,
        @Nullable Duration every,
        String zone,
        @Nullable String queue,
        int priority,
        Misfire misfire,
        Overlap overlap,
        @Nullable String headers,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeout,
        Origin origin,
        @Nullable String owner) {}
