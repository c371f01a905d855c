package dev.jobqueue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that somebody did.
 *
 * @param id its number; later ones are higher
 * @param at when
 * @param actor who
 * @param action what
 * @param target to which one; {@code null} if to those that matched a filter
 * @param filter to which ones, as JSON; {@code null} if to one
 * @param jobs how many jobs it concerned; grows while it goes on
 * @param canUndo whether it can be undone, and has not been yet
 * @param undoneAt when it was undone; {@code null} if it was not
 * @param undoneBy who undid it; {@code null} if nobody did
 */
public record AuditEntry(
        long id,
        Instant at,
        String actor,
        String action,
        @Nullable String target,
        @Nullable String filter,
        long jobs,
        boolean canUndo,
        @Nullable Instant undoneAt,
        @Nullable String undoneBy) {}
