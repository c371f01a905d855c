package dev.jobqueue.operate;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A lane: a limit and a key that has jobs running or waiting, or that is closed.
 *
 * @param limit the name of the limit
 * @param key the key; empty for the one that all jobs without a key share
 * @param held how many of its jobs have started and count still
 * @param running how many may run at once, or in a FIFO lane together as a run; {@code null} for any number
 * @param waiting how many jobs wait in it, counted to 1,000
 * @param oldest how long the one that waits longest has been due; {@code null} if none waits
 * @param opensAt when the next one may start, because of a rate or a lane that is closed; {@code null} if now
 * @param blockedBy the job behind which a FIFO lane stands: a dead letter, or one that waits for its next attempt;
 *     {@code null} if there is none
 */
public record LaneFigures(
        String limit,
        String key,
        long held,
        @Nullable Integer running,
        long waiting,
        @Nullable Duration oldest,
        @Nullable Instant opensAt,
        @Nullable UUID blockedBy) {}
