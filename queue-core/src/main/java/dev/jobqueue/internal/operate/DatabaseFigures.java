package dev.jobqueue.internal.operate;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Figures of PostgreSQL itself that matter to a queue.
 *
 * @param oldestTransaction for how long somebody has been holding a snapshot
 * @param heldBy who that is
 * @param xminAge how many transactions ago vacuum may clean up at most
 * @param notificationUsage how full the queue of notifications is, from 0 to 1
 */
public record DatabaseFigures(
        @Nullable Duration oldestTransaction,
        @Nullable String heldBy,
        long xminAge,
        long liveTuples,
        long deadTuples,
        @Nullable Instant vacuumedAt,
        double notificationUsage) {}
