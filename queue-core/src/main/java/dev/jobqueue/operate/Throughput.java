package dev.jobqueue.operate;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What ended within a span of time. Counted every few seconds from history and dead letters, so the newest one grows,
 * and a queue that keeps no history shows no completed jobs.
 *
 * @param at when the span begins
 * @param completed how many jobs were completed
 * @param failed how many attempts threw
 * @param dead how many jobs died
 * @param averageWait how long the completed ones had been due when they were claimed; {@code null} if there are none
 * @param averageRun how long their last attempt took; {@code null} if there are none
 */
public record Throughput(
        Instant at,
        long completed,
        long failed,
        long dead,
        @Nullable Duration averageWait,
        @Nullable Duration averageRun) {}
