package dev.jobqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job to publish: a payload, its type, and whatever of the rest should differ from the defaults. Immutable; each method
 * returns a changed copy.
 *
 * <pre>{@code
 * jobs.publish(Job.of("report.build", new Report(7)).queue("reports").priority(150).delay(Duration.ofHours(1)));
 * }</pre>
 *
 * <p>Values are checked when the job is published: {@link InvalidJobException} names what is wrong.
 */
public final class Job {

    private final @Nullable String type;
    private final @Nullable Object payload;
    private final @Nullable String queue;
    private final int priority;
    private final @Nullable Instant runAt;
    private final @Nullable Duration delay;
    private final @Nullable Integer maxAttempts;
    private final @Nullable Duration timeout;
    private final @Nullable String uniqueKey;
    private final Map<String, String> headers;
    private final @Nullable UUID id;

    private Job(Draft draft) {
        this.type = draft.type;
        this.payload = draft.payload;
        this.queue = draft.queue;
        this.priority = draft.priority;
        this.runAt = draft.runAt;
        this.delay = draft.delay;
        this.maxAttempts = draft.maxAttempts;
        this.timeout = draft.timeout;
        this.uniqueKey = draft.uniqueKey;
        this.headers = draft.headers;
        this.id = draft.id;
    }

    /** A job whose type is named by {@link JobType} on the payload's class, or by the one handler that takes it. */
    public static Job of(Object payload) {
        Draft draft = new Draft();
        draft.payload = Objects.requireNonNull(payload, "payload");
        return new Job(draft);
    }

    /** A job of the given type; a {@code null} payload is published as an empty object. */
    public static Job of(String type, @Nullable Object payload) {
        Draft draft = new Draft();
        draft.type = Objects.requireNonNull(type, "type");
        draft.payload = payload;
        return new Job(draft);
    }

    /** Of the given type, instead of the one its payload tells. */
    public Job type(String type) {
        Draft draft = new Draft(this);
        draft.type = type;
        return new Job(draft);
    }

    /** In this queue, instead of the one its handler names or {@code default}. */
    public Job queue(String queue) {
        Draft draft = new Draft(this);
        draft.queue = queue;
        return new Job(draft);
    }

    /** Before every job of a lower priority in its queue; the default is 0, any integer will do. */
    public Job priority(int priority) {
        Draft draft = new Draft(this);
        draft.priority = priority;
        return new Job(draft);
    }

    /** Not before this time has passed on the database's clock since it was published. */
    public Job delay(Duration delay) {
        Draft draft = new Draft(this);
        draft.delay = delay;
        draft.runAt = null;
        return new Job(draft);
    }

    /** Not before this instant on the database's clock. */
    public Job runAt(Instant runAt) {
        Draft draft = new Draft(this);
        draft.runAt = runAt;
        draft.delay = null;
        return new Job(draft);
    }

    /** Dead after this many attempts, instead of what the retry policy of its type says. */
    public Job maxAttempts(int maxAttempts) {
        Draft draft = new Draft(this);
        draft.maxAttempts = maxAttempts;
        return new Job(draft);
    }

    /** An attempt that takes longer is interrupted and counts as failed. */
    public Job timeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.timeout = timeout;
        return new Job(draft);
    }

    /** While a live job of the same type has this key, publishing another one returns the id of the first. */
    public Job uniqueKey(String uniqueKey) {
        Draft draft = new Draft(this);
        draft.uniqueKey = uniqueKey;
        return new Job(draft);
    }

    /** With this header, visible to the handler and in the history. */
    public Job header(String name, String value) {
        Draft draft = new Draft(this);
        Map<String, String> changed = new LinkedHashMap<>(headers);
        changed.put(name, value);
        draft.headers = Collections.unmodifiableMap(changed);
        return new Job(draft);
    }

    /** Under this id: publishing the same id again changes nothing, whatever has become of the job. */
    public Job id(UUID id) {
        Draft draft = new Draft(this);
        draft.id = id;
        return new Job(draft);
    }

    public @Nullable String type() {
        return type;
    }

    public @Nullable Object payload() {
        return payload;
    }

    public @Nullable String queue() {
        return queue;
    }

    public int priority() {
        return priority;
    }

    public @Nullable Instant runAt() {
        return runAt;
    }

    public @Nullable Duration delay() {
        return delay;
    }

    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    public @Nullable Duration timeout() {
        return timeout;
    }

    public @Nullable String uniqueKey() {
        return uniqueKey;
    }

    public Map<String, String> headers() {
        return headers;
    }

    public @Nullable UUID id() {
        return id;
    }

    /** Names the job without its payload, which may be private. */
    @Override
    public String toString() {
        return "Job[type=%s, queue=%s, id=%s]".formatted(type, queue, id);
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

        Map<String, String> headers = Map.of();

        @Nullable
        UUID id;

        Draft() {}

        Draft(Job job) {
            this.type = job.type;
            this.payload = job.payload;
            this.queue = job.queue;
            this.priority = job.priority;
            this.runAt = job.runAt;
            this.delay = job.delay;
            this.maxAttempts = job.maxAttempts;
            this.timeout = job.timeout;
            this.uniqueKey = job.uniqueKey;
            this.headers = job.headers;
            this.id = job.id;
        }
    }
}
