package dev.jobqueue.operate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps for 90 days what people did with jobs, queues and schedules. Takes part in the caller's transaction, so that an
 * action and its entry commit together or not at all. Thread-safe.
 *
 * <pre>{@code
 * audit.together(() -> {
 *     operations.pause("mail");
 *     return audit.record(AuditAction.on("ann", "pause", "mail"));
 * });
 * }</pre>
 */
public interface JobAudit {

    /**
     * Does some work in one transaction of the queue's database; in that of the caller, if there is one.
     *
     * @param work what to do
     * @param <T> what it returns
     * @return what the work returned
     */
    <T> T together(Supplier<T> work);

    /**
     * Records an action.
     *
     * @param action the action
     * @return the number of its entry
     */
    long record(AuditAction action);

    /**
     * Adds to the number of jobs of an entry: for an action that is done batch by batch.
     *
     * @param id the number of the entry
     * @param jobs how many more
     * @throws JobNotFoundException if there is no such entry
     */
    void add(long id, long jobs);

    /**
     * Return some of the entries, the latest first.
     *
     * @param before the entry before which they begin; {@code null} for the latest
     * @param limit how many at most, from 1 to 1,000
     * @return the entries
     */
    List<AuditEntry> find(@Nullable Long before, int limit);

    /**
     * Marks an entry as undone, and tells what takes the action back. The caller does that, in the same transaction.
     *
     * @param id the number of the entry
     * @param actor who undoes it
     * @return the action, with what was given to {@link AuditAction#undo(String)}
     * @throws JobNotFoundException if there is no such entry
     * @throws InvalidJobException if it cannot be undone, or was
     */
    AuditAction undo(long id, String actor);
}
