package dev.jobqueue.operate;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A batch or flow, and how far it is. The numbers may be some milliseconds behind what its jobs did.
 *
 * @param id its id
 * @param kind whether it is a batch or a flow
 * @param name its name
 * @param key its key, if it has one
 * @param state where it is in its life
 * @param cancelling whether somebody cancelled it
 * @param round 1, and one more each time it went on after it had finished
 * @param total how many members or steps it has
 * @param done how many have completed
 * @param dead how many are dead
 * @param cancelled how many were cancelled
 * @param percent how much of it has ended; {@code null} while nothing is known of it
 * @param parent the batch that it is a member of, if it is
 * @param createdAt when it was published
 * @param finishedAt when it finished; {@code null} if it has not
 * @param problem why a job that follows could not be published, if one could not
 */
public record FlowSummary(
        UUID id,
        FlowKind kind,
        String name,
        @Nullable String key,
        FlowState state,
        boolean cancelling,
        int round,
        long total,
        long done,
        long dead,
        long cancelled,
        @Nullable Integer percent,
        @Nullable UUID parent,
        Instant createdAt,
        @Nullable Instant finishedAt,
        @Nullable String problem) {}
