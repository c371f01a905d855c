package dev.jobqueue.operate;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something that somebody does, to be recorded. Immutable; each method returns a changed copy.
 *
 * @param actor who does it
 * @param action what, in a word or two
 * @param target to which one: a queue, a job, a schedule; {@code null} if to those that match a filter
 * @param filter to which ones, as JSON; {@code null} if to one
 * @param jobs how many jobs it concerns, as far as that is known
 * @param undo what would take it back, as JSON for whoever undoes it; {@code null} if nothing can
 */
public record AuditAction(
        String actor,
        String action,
        @Nullable String target,
        @Nullable String filter,
        long jobs,
        @Nullable String undo) {

    /**
     * Refuses an action that nobody does.
     *
     * @param actor who does it
     * @param action what, in a word or two
     * @param target to which one; {@code null} if to those that match a filter
     * @param filter to which ones, as JSON; {@code null} if to one
     * @param jobs how many jobs it concerns, as far as that is known
     * @param undo what would take it back, as JSON; {@code null} if nothing can
     */
    public AuditAction {
        Objects.requireNonNull(actor, "actor");
        Objects.requireNonNull(action, "action");
    }

    /**
     * Return an action on one thing.
     *
     * @param actor who does it
     * @param action what, in a word or two
     * @param target to which one
     * @return the action
     */
    public static AuditAction on(String actor, String action, String target) {
        return new AuditAction(actor, action, target, null, 0, null);
    }

    /**
     * Return an action on all jobs that match a filter.
     *
     * @param actor who does it
     * @param action what, in a word or two
     * @param filter to which ones, as JSON
     * @return the action
     */
    public static AuditAction onAll(String actor, String action, String filter) {
        return new AuditAction(actor, action, null, filter, 0, null);
    }

    /**
     * Set how many jobs it concerns.
     *
     * @param jobs how many
     * @return a changed copy
     */
    public AuditAction jobs(long jobs) {
        return new AuditAction(actor, action, target, filter, jobs, undo);
    }

    /**
     * Set what would take it back.
     *
     * @param undo JSON for whoever undoes it; {@code null} if nothing can
     * @return a changed copy
     */
    public AuditAction undo(@Nullable String undo) {
        return new AuditAction(actor, action, target, filter, jobs, undo);
    }
}
