package dev.jobqueue.operate;

import dev.jobqueue.JobState;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job in a list. {@link JobOperations#find(UUID)} returns all that is known of it.
 *
 * @param id its id
 * @param queue the queue it is in
 * @param type its type
 * @param state where it is in its life
 * @param priority its priority
 * @param runAt when it was or is due
 * @param createdAt when it was published
 * @param attempt how many attempts have begun
 * @param maxAttempts how many attempts it gets in all
 * @param workerId the worker that has it or had it last, if any
 * @param claimedAt when a worker took it last; {@code null} while it waits
 * @param finishedAt when it was completed, cancelled or dead
 * @param percent how far it says it is, while it is live
 * @param stage what it says it does, while it is live
 * @param error the first line of its last error, at most 300 characters of it
 */
public record JobSummary(
        UUID id,
        String queue,
        String type,
        JobState state,
        int priority,
        Instant runAt,
        Instant createdAt,
        int attempt,
        int maxAttempts,
        @Nullable UUID workerId,
        @Nullable Instant claimedAt,
        @Nullable Instant finishedAt,
        @Nullable Integer percent,
        @Nullable String stage,
        @Nullable String error) {}
