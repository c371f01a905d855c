package dev.jobqueue.operate;

import dev.jobqueue.LimitDefinition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit and how it is used.
 *
 * @param definition its values; the burst of a rate is always given
 * @param owner the application that set it, empty if that has no name; {@code null} if an operator did
 * @param held how many jobs it has let start and counts still, over all keys: those that run, and in FIFO lanes those
 *     that wait for their next attempt or block the lane; 0 for a limit that does not count. Among 100,000 in all
 * @param waiting how many jobs wait that have it; an estimate where jobs wait in more than 200 lanes
 * @param uses which types and queues have it
 * @param blocked how many of its FIFO lanes stand behind a dead letter
 */
public record LimitFigures(
        LimitDefinition definition, @Nullable String owner, long held, long waiting, List<Use> uses, long blocked) {

    /**
     * A type or queue whose jobs have the limit.
     *
     * @param type the type; {@code null} if it is a queue
     * @param queue the queue; {@code null} if it is a type
     * @param key what the limit counts by: a path in the payload ({@code account.id}) or a header ({@code
     *     header:tenant}); {@code null} if all jobs share it
     * @param owner the application that set it, empty if that has no name; {@code null} if an operator did
     */
    public record Use(
            @Nullable String type,
            @Nullable String queue,
            @Nullable String key,
            @Nullable String owner) {}
}
