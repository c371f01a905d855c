package dev.jobqueue.operate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Selects the jobs in one state that fulfil all given conditions. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * JobFilter.of(JobState.DEAD).type("invoice.send").errorLike("%mail server%")
 * }</pre>
 *
 * <p>Times are checked at once, the pattern when the filter is used: {@link InvalidJobException} names what is wrong. A
 * queue or type that does not exist matches nothing.
 *
 * @param state the state the jobs are in
 * @param queue the name of their queue; {@code null} for any
 * @param type their type; {@code null} for any
 * @param uniqueKey their unique key; {@code null} for any, also for none
 * @param errorLike a pattern of SQL ({@code %} for any text, {@code _} for one character, {@code \} before either to
 *     mean itself) for the error of their last attempt that threw; {@code null} for any, also for none
 * @param since the earliest time, see {@link #since(Instant)}; {@code null} for none
 * @param before the time before which it was, see {@link #since(Instant)}; {@code null} for none
 * @param fingerprint that of the {@link DeadGroup} they are in; {@code null} for any
 * @param flow the batch or flow they belong to; {@code null} for any, also for none
 */
public record JobFilter(
        JobState state,
        @Nullable String queue,
        @Nullable String type,
        @Nullable String uniqueKey,
        @Nullable String errorLike,
        @Nullable Instant since,
        @Nullable Instant before,
        @Nullable String fingerprint,
        @Nullable UUID flow) {

    /**
     * Refuses a filter without a state; times are checked when the filter is used.
     *
     * @param state the state the jobs are in
     * @param queue the name of their queue; {@code null} for any
     * @param type their type; {@code null} for any
     * @param uniqueKey their unique key; {@code null} for any, also for none
     * @param errorLike a pattern of SQL ({@code %} for any text, {@code _} for one character, {@code \} before either
     *     to mean itself) for the error of their last attempt that threw; {@code null} for any, also for none
     * @param since the earliest time, see {@link #since(Instant)}; {@code null} for none
     * @param before the time before which it was, see {@link #since(Instant)}; {@code null} for none
     * @param fingerprint that of the {@link DeadGroup} they are in; {@code null} for any
     * @param flow the batch or flow they belong to; {@code null} for any, also for none
     */
    public JobFilter {
        Objects.requireNonNull(state, "state");
    }

    /**
     * Return a filter that matches all jobs in the given state.
     *
     * @param state the state
     * @return the filter
     */
    public static JobFilter of(JobState state) {
        return new JobFilter(state, null, null, null, null, null, null, null, null);
    }

    /**
     * Match jobs of this queue only.
     *
     * @param queue the name of the queue
     * @return a changed copy
     */
    public JobFilter queue(@Nullable String queue) {
        return new JobFilter(state, queue, type, uniqueKey, errorLike, since, before, fingerprint, flow);
    }

    /**
     * Match jobs of this type only.
     *
     * @param type the type
     * @return a changed copy
     */
    public JobFilter type(@Nullable String type) {
        return new JobFilter(state, queue, type, uniqueKey, errorLike, since, before, fingerprint, flow);
    }

    /**
     * Match jobs with this unique key only: one for each type at most, as long as they are live.
     *
     * @param uniqueKey the key
     * @return a changed copy
     */
    public JobFilter uniqueKey(@Nullable String uniqueKey) {
        return new JobFilter(state, queue, type, uniqueKey, errorLike, since, before, fingerprint, flow);
    }

    /**
     * Match jobs only whose last error is like this pattern.
     *
     * @param errorLike a pattern of SQL, such as {@code "%timed out%"}
     * @return a changed copy
     */
    public JobFilter errorLike(@Nullable String errorLike) {
        return new JobFilter(state, queue, type, uniqueKey, errorLike, since, before, fingerprint, flow);
    }

    /**
     * Match jobs only whose time is this or later. The time of a job is when it is due ({@link JobState#SCHEDULED},
     * {@link JobState#PENDING}), was claimed ({@link JobState#RUNNING}), or ended.
     *
     * @param since the earliest time
     * @return a changed copy
     */
    public JobFilter since(@Nullable Instant since) {
        return new JobFilter(state, queue, type, uniqueKey, errorLike, since, before, fingerprint, flow);
    }

    /**
     * Match jobs only whose time, as {@link #since(Instant)} has it, is before this.
     *
     * @param before the first time that does not match
     * @return a changed copy
     */
    public JobFilter before(@Nullable Instant before) {
        return new JobFilter(state, queue, type, uniqueKey, errorLike, since, before, fingerprint, flow);
    }

    /**
     * Match jobs of this group of dead ones only.
     *
     * @param fingerprint {@link DeadGroup#fingerprint()}; only with {@link JobState#DEAD}
     * @return a changed copy
     */
    public JobFilter fingerprint(@Nullable String fingerprint) {
        return new JobFilter(state, queue, type, uniqueKey, errorLike, since, before, fingerprint, flow);
    }

    /**
     * Match jobs of this batch or flow only.
     *
     * @param flow its id
     * @return a changed copy
     */
    public JobFilter flow(@Nullable UUID flow) {
        return new JobFilter(state, queue, type, uniqueKey, errorLike, since, before, fingerprint, flow);
    }
}
