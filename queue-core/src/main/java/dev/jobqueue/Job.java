package dev.jobqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A job to publish: a payload, its type, and options that differ from the defaults. Immutable; each method returns a
 * changed copy.
 *
 * <pre>{@code
 * jobs.publish(Job.of("report.build", new Report(7)).queue("reports").priority(150).delay(Duration.ofHours(1)));
 * }</pre>
 *
 * <p>Times are checked at once, all other values when the job is published: {@link InvalidJobException} names what is
 * wrong.
 */
public final class Job {

    /** Not changed after it was assigned. */
    private final Draft draft;

    private Job(Draft draft) {
        this.draft = draft;
    }

    /**
     * Create a job whose type is named by {@link JobType} on the payload's class, or else by the one handler that takes
     * such payloads.
     *
     * @param payload what it carries
     * @return the job
     */
    public static Job of(Object payload) {
        Draft draft = new Draft();
        draft.payload = Objects.requireNonNull(payload, "payload");
        return new Job(draft);
    }

    /**
     * Create a job of the given type.
     *
     * @param type the type
     * @param payload what it carries; {@code null} is published as an empty object
     * @return the job
     */
    public static Job of(String type, @Nullable Object payload) {
        Draft draft = new Draft();
        draft.type = Objects.requireNonNull(type, "type");
        draft.payload = payload;
        return new Job(draft);
    }

    private Job copy(Consumer<Draft> change) {
        Draft copy = new Draft(draft);
        change.accept(copy);
        return new Job(copy);
    }

    /**
     * Set the type, instead of the one that the payload names.
     *
     * @param type the type
     * @return a changed copy
     */
    public Job type(String type) {
        return copy(draft -> draft.type = type);
    }

    /**
     * Set the payload.
     *
     * @param payload what it carries; {@code null} is published as an empty object
     * @return a changed copy
     */
    public Job payload(@Nullable Object payload) {
        return copy(draft -> draft.payload = payload);
    }

    /**
     * Set the queue, instead of the one that {@link JobType#queue()} or the handler names, or {@code default}.
     *
     * @param queue the name of the queue
     * @return a changed copy
     */
    public Job queue(String queue) {
        return copy(draft -> draft.queue = queue);
    }

    /**
     * Set the priority; in each queue, jobs of a higher priority start first.
     *
     * @param priority any integer; the default is 0
     * @return a changed copy
     */
    public Job priority(int priority) {
        return copy(draft -> draft.priority = priority);
    }

    /**
     * Delay the job: it becomes due this long after it was published, by the clock of the database.
     *
     * @param delay how long to wait, from 0 to 10 years
     * @return a changed copy
     */
    public Job delay(Duration delay) {
        Ranges.requireDelay("delay", delay);
        return copy(draft -> {
            draft.delay = delay;
            draft.runAt = null;
        });
    }

    /**
     * Set the time at which the job becomes due, by the clock of the database.
     *
     * @param runAt when it is due, from the year 1 to 9999
     * @return a changed copy
     */
    public Job runAt(Instant runAt) {
        Ranges.requireTime("run_at", runAt);
        return copy(draft -> {
            draft.runAt = runAt;
            draft.delay = null;
        });
    }

    /**
     * Set after how many attempts the job is dead, instead of what the retry policy of its type says.
     *
     * @param maxAttempts at least 1
     * @return a changed copy
     */
    public Job maxAttempts(int maxAttempts) {
        return copy(draft -> draft.maxAttempts = maxAttempts);
    }

    /**
     * Set the timeout; an attempt that takes longer is interrupted and counts as failed.
     *
     * @param timeout how long an attempt may take, from 1 ms to 10 years
     * @return a changed copy
     */
    public Job timeout(Duration timeout) {
        Ranges.requireTimeout("timeout", timeout);
        return copy(draft -> draft.timeout = timeout);
    }

    /**
     * Set a unique key. While a live job of the same type has this key, publishing another one returns the id of the
     * first, or does what {@link #onConflict} says.
     *
     * @param uniqueKey the key, of 1 to 500 characters
     * @return a changed copy
     */
    public Job uniqueKey(String uniqueKey) {
        return copy(draft -> draft.uniqueKey = uniqueKey);
    }

    /**
     * Keep the {@link #uniqueKey unique key} taken for this long from publishing, also when the job has ended, and
     * whatever the history keeps: at most one job of the key in that time. Who publishes another one is answered with
     * the id of the first. Cancelling the job frees the key at once, and so does purging it from the dead letters.
     *
     * @param uniqueFor how long, from 1 ms to 10 years
     * @return a changed copy
     */
    public Job uniqueFor(Duration uniqueFor) {
        Ranges.requireTimeout("unique_for", uniqueFor);
        return copy(draft -> draft.uniqueFor = uniqueFor);
    }

    /**
     * Set what publishing does when the {@link #uniqueKey unique key} is taken.
     *
     * @param onConflict what to do; the default is {@link OnConflict#KEEP}
     * @return a changed copy
     */
    public Job onConflict(OnConflict onConflict) {
        Objects.requireNonNull(onConflict, "onConflict");
        return copy(draft -> draft.onConflict = onConflict);
    }

    /**
     * Run once for many of these that are published shortly after one another: {@code delay} after the last of them,
     * with its payload, and at the latest {@code maxDelay} after the first. What is published while the job runs makes
     * a new one.
     *
     * <p>Sets unique key, delay and {@link #onConflict}.
     *
     * @param key the unique key: what belongs together
     * @param delay how long nothing must be published, from 0 to 10 years
     * @param maxDelay how long the first may wait, at least as long as the delay
     * @return a changed copy
     */
    public Job debounce(String key, Duration delay, Duration maxDelay) {
        return debounce(key, delay, maxDelay, OnConflict.REPLACE);
    }

    /**
     * The same as {@link #debounce}, with the payload of the first of them instead of the last.
     *
     * @param key the unique key: what belongs together
     * @param delay how long nothing must be published, from 0 to 10 years
     * @param maxDelay how long the first may wait, at least as long as the delay
     * @return a changed copy
     */
    public Job debounceFirst(String key, Duration delay, Duration maxDelay) {
        return debounce(key, delay, maxDelay, OnConflict.POSTPONE);
    }

    private Job debounce(String key, Duration delay, Duration maxDelay, OnConflict onConflict) {
        Objects.requireNonNull(key, "key");
        Ranges.requireMaxDelay(Objects.requireNonNull(delay, "delay"), Objects.requireNonNull(maxDelay, "maxDelay"));
        return uniqueKey(key).delay(delay).onConflict(onConflict).copy(draft -> draft.maxDelay = maxDelay);
    }

    /**
     * Within this limit, besides those that its type and queue have: with the others of the same key, as many run at
     * once, or start in a time, as the limit says. A limit that nobody has set is refused when the job is published.
     *
     * @param name the name of the limit
     * @param key what is limited, such as an account; the empty text for all jobs of the limit together
     * @return a changed copy
     */
    public Job limit(String name, String key) {
        return copy(draft -> {
            Map<String, String> changed = new LinkedHashMap<>(draft.limits);
            changed.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(key, "key"));
            draft.limits = Collections.unmodifiableMap(changed);
        });
    }

    /**
     * Add a header, which the handler can read and which is kept in the history.
     *
     * @param name the name of the header
     * @param value its value
     * @return a changed copy
     */
    public Job header(String name, String value) {
        return copy(draft -> {
            Map<String, String> changed = new LinkedHashMap<>(draft.headers);
            changed.put(Objects.requireNonNull(name, "name"), value);
            draft.headers = Collections.unmodifiableMap(changed);
        });
    }

    /**
     * Set the id. Publishing the same id again changes nothing, whatever has become of the job.
     *
     * @param id the id
     * @return a changed copy
     */
    public Job id(UUID id) {
        return copy(draft -> draft.id = id);
    }

    /** {@return the type; {@code null} if the payload tells it} */
    public @Nullable String type() {
        return draft.type;
    }

    /** {@return what it carries} */
    public @Nullable Object payload() {
        return draft.payload;
    }

    /** {@return the queue; {@code null} for that of its type} */
    public @Nullable String queue() {
        return draft.queue;
    }

    /** {@return the priority} */
    public int priority() {
        return draft.priority;
    }

    /** {@return when it is due; {@code null} if at once or after a delay} */
    public @Nullable Instant runAt() {
        return draft.runAt;
    }

    /** {@return how long it waits; {@code null} if it does not} */
    public @Nullable Duration delay() {
        return draft.delay;
    }

    /** {@return how many attempts it gets; {@code null} for what the policy says} */
    public @Nullable Integer maxAttempts() {
        return draft.maxAttempts;
    }

    /** {@return how long an attempt may take; {@code null} for what the policy says} */
    public @Nullable Duration timeout() {
        return draft.timeout;
    }

    /** {@return the unique key, if it has one} */
    public @Nullable String uniqueKey() {
        return draft.uniqueKey;
    }

    /** {@return how long the unique key stays taken; {@code null} for as long as the job lives} */
    public @Nullable Duration uniqueFor() {
        return draft.uniqueFor;
    }

    /** {@return what publishing does when the unique key is taken} */
    public OnConflict onConflict() {
        return draft.onConflict;
    }

    /** {@return how long {@link #debounce} may put it off; {@code null} if it was not called} */
    public @Nullable Duration maxDelay() {
        return draft.maxDelay;
    }

    /** {@return the headers} */
    public Map<String, String> headers() {
        return draft.headers;
    }

    /** {@return the limits it was given, with their keys} */
    public Map<String, String> limits() {
        return draft.limits;
    }

    /** {@return the id, if it was given one} */
    public @Nullable UUID id() {
        return draft.id;
    }

    /** {@return the job without its payload, which may be private} */
    @Override
    public String toString() {
        return "Job[type=%s, queue=%s, id=%s]".formatted(draft.type, draft.queue, draft.id);
    }

    private static final class Draft {

        @Nullable
        String type;

        @Nullable
        Object payload;

        @Nullable
        String queue;

        int priority;

        @Nullable
        Instant runAt;

        @Nullable
        Duration delay;

        @Nullable
        Integer maxAttempts;

        @Nullable
        Duration timeout;

        @Nullable
        String uniqueKey;

        @Nullable
        Duration uniqueFor;

        OnConflict onConflict = OnConflict.KEEP;

        @Nullable
        Duration maxDelay;

        Map<String, String> headers = Map.of();

        Map<String, String> limits = Map.of();

        @Nullable
        UUID id;

        Draft() {}

        Draft(Draft other) {
            this.type = other.type;
            this.payload = other.payload;
            this.queue = other.queue;
            this.priority = other.priority;
            this.runAt = other.runAt;
            this.delay = other.delay;
            this.maxAttempts = other.maxAttempts;
            this.timeout = other.timeout;
            this.uniqueKey = other.uniqueKey;
            this.uniqueFor = other.uniqueFor;
            this.onConflict = other.onConflict;
            this.maxDelay = other.maxDelay;
            this.headers = other.headers;
            this.limits = other.limits;
            this.id = other.id;
        }
    }
}
