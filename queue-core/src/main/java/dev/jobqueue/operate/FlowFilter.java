package dev.jobqueue.operate;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Selects the batches and flows that fulfil all given conditions. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * FlowFilter.all().name("order").state(FlowState.FAILED)
 * }</pre>
 *
 * @param kind whether they are batches or flows; {@code null} for both
 * @param name their name; {@code null} for any
 * @param key their key; {@code null} for any, also for none
 * @param state where they are in their life; {@code null} for anywhere
 * @param parent the batch that they are members of; {@code null} for any, also for none
 */
public record FlowFilter(
        @Nullable FlowKind kind,
        @Nullable String name,
        @Nullable String key,
        @Nullable FlowState state,
        @Nullable UUID parent) {

    /** {@return a filter that matches all batches and flows} */
    public static FlowFilter all() {
        return new FlowFilter(null, null, null, null, null);
    }

    /**
     * Match batches or flows only.
     *
     * @param kind which of them
     * @return a changed copy
     */
    public FlowFilter kind(@Nullable FlowKind kind) {
        return new FlowFilter(kind, name, key, state, parent);
    }

    /**
     * Match those of this name only.
     *
     * @param name the name
     * @return a changed copy
     */
    public FlowFilter name(@Nullable String name) {
        return new FlowFilter(kind, name, key, state, parent);
    }

    /**
     * Match those with this key only.
     *
     * @param key the key
     * @return a changed copy
     */
    public FlowFilter key(@Nullable String key) {
        return new FlowFilter(kind, name, key, state, parent);
    }

    /**
     * Match those in this state only.
     *
     * @param state the state
     * @return a changed copy
     */
    public FlowFilter state(@Nullable FlowState state) {
        return new FlowFilter(kind, name, key, state, parent);
    }

    /**
     * Match the members of this batch only.
     *
     * @param parent the id of the batch
     * @return a changed copy
     */
    public FlowFilter parent(@Nullable UUID parent) {
        return new FlowFilter(kind, name, key, state, parent);
    }
}
