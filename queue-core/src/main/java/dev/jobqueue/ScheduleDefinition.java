package dev.jobqueue;

import dev.jobqueue.JobSchedule.Misfire;
import dev.jobqueue.JobSchedule.Overlap;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A schedule to set: a name, the type of the jobs it publishes, when, and whatever of the rest should differ from the
 * defaults. Immutable; each method returns a changed copy. In a Spring application one that is declared as a bean is set at
 * start.
 *
 * <pre>{@code
 * ScheduleDefinition.of("nightly", "report.build").cron("0 3 * * *").zone("Europe/Berlin").payload(new Report(7))
 * }</pre>
 *
 * <p>Values are checked when the schedule is set: {@link InvalidJobException} names what is wrong.
 */
public final class ScheduleDefinition {

    private final String name;
    private final String type;
    private final @Nullable Object payload;
    private final @Nullable String cron;
    private final @Nullable Duration every;
    private final String zone;
    private final @Nullable String queue;
    private final int priority;
    private final Misfire misfire;
    private final Overlap overlap;
    private final @Nullable Integer maxAttempts;
    private final @Nullable Duration timeout;
    private final Map<String, String> headers;

    private ScheduleDefinition(Draft draft) {
        this.name = draft.name;
        this.type = draft.type;
        this.payload = draft.payload;
        this.cron = draft.cron;
        this.every = draft.every;
        this.zone = draft.zone;
        this.queue = draft.queue;
        this.priority = draft.priority;
        this.misfire = draft.misfire;
        this.overlap = draft.overlap;
        this.maxAttempts = draft.maxAttempts;
        this.timeout = draft.timeout;
        this.headers = draft.headers;
    }

    /** A schedule that publishes jobs of the given type; it still needs {@link #cron} or {@link #every}. */
    public static ScheduleDefinition of(String name, String type) {
        return new ScheduleDefinition(new Draft(name, type));
    }

    /** Publishes jobs of this type. */
    public ScheduleDefinition type(String type) {
        Draft draft = new Draft(this);
        draft.type = Objects.requireNonNull(type, "type");
        return new ScheduleDefinition(draft);
    }

    /**
     * Due by five crontab fields (minute, hour, day of month, month, day of week), six with the second before them, or a
     * word such as {@code @daily}.
     */
    public ScheduleDefinition cron(String cron) {
        Draft draft = new Draft(this);
        draft.cron = cron;
        draft.every = null;
        return new ScheduleDefinition(draft);
    }

    /** Due again and again after this time, at least a second; for the first time that long after it was set. */
    public ScheduleDefinition every(Duration every) {
        Draft draft = new Draft(this);
        draft.every = every;
        draft.cron = null;
        return new ScheduleDefinition(draft);
    }

    /** The time zone of the cron expression, such as {@code Europe/Berlin}; the default is UTC. */
    public ScheduleDefinition zone(String zone) {
        Draft draft = new Draft(this);
        draft.zone = zone;
        return new ScheduleDefinition(draft);
    }

    /** With this payload; without one, its jobs carry an empty object. */
    public ScheduleDefinition payload(@Nullable Object payload) {
        Draft draft = new Draft(this);
        draft.payload = payload;
        return new ScheduleDefinition(draft);
    }

    /** Its jobs go to this queue, instead of the one their handler names or {@code default}. */
    public ScheduleDefinition queue(String queue) {
        Draft draft = new Draft(this);
        draft.queue = queue;
        return new ScheduleDefinition(draft);
    }

    /** Its jobs have this priority; the default is 0. */
    public ScheduleDefinition priority(int priority) {
        Draft draft = new Draft(this);
        draft.priority = priority;
        return new ScheduleDefinition(draft);
    }

    /** What becomes of runs that were due while no node was up; the default is {@link Misfire#ONCE}. */
    public ScheduleDefinition misfire(Misfire misfire) {
        Draft draft = new Draft(this);
        draft.misfire = misfire;
        return new ScheduleDefinition(draft);
    }

    /** Whether it runs while the last run is pending or running; the default is {@link Overlap#ALLOW}. */
    public ScheduleDefinition overlap(Overlap overlap) {
        Draft draft = new Draft(this);
        draft.overlap = overlap;
        return new ScheduleDefinition(draft);
    }

    /** Its jobs are dead after this many attempts, instead of what the retry policy of their type says. */
    public ScheduleDefinition maxAttempts(int maxAttempts) {
        Draft draft = new Draft(this);
        draft.maxAttempts = maxAttempts;
        return new ScheduleDefinition(draft);
    }

    /** An attempt of one of its jobs that takes longer is interrupted. */
    public ScheduleDefinition timeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.timeout = timeout;
        return new ScheduleDefinition(draft);
    }

    /** Its jobs carry this header. */
    public ScheduleDefinition header(String name, String value) {
        Draft draft = new Draft(this);
        Map<String, String> changed = new LinkedHashMap<>(headers);
        changed.put(name, value);
        draft.headers = Collections.unmodifiableMap(changed);
        return new ScheduleDefinition(draft);
    }

    public String name() {
        return name;
    }

    public String type() {
        return type;
    }

    public @Nullable Object payload() {
        return payload;
    }

    public @Nullable String cron() {
        return cron;
    }

    public @Nullable Duration every() {
        return every;
    }

    public String zone() {
        return zone;
    }

    public @Nullable String queue() {
        return queue;
    }

    public int priority() {
        return priority;
    }

    public Misfire misfire() {
        return misfire;
    }

    public Overlap overlap() {
        return overlap;
    }

    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    public @Nullable Duration timeout() {
        return timeout;
    }

    public Map<String, String> headers() {
        return headers;
    }

    /** Names the schedule without its payload, which may be private. */
    @Override
    public String toString() {
        return "ScheduleDefinition[name=%s, type=%s]".formatted(name, type);
    }

    private static final class Draft {

        final String name;
        String type;

        @Nullable
        Object payload;

        @Nullable
        String cron;

        @Nullable
        Duration every;

        String zone = "UTC";

        @Nullable
        String queue;

        int priority;
        Misfire misfire = Misfire.ONCE;
        Overlap overlap = Overlap.ALLOW;

        @Nullable
        Integer maxAttempts;

        @Nullable
        Duration timeout;

        Map<String, String> headers = Map.of();

        Draft(String name, String type) {
            this.name = Objects.requireNonNull(name, "name");
            this.type = Objects.requireNonNull(type, "type");
        }

        Draft(ScheduleDefinition definition) {
            this(definition.name, definition.type);
            this.payload = definition.payload;
            this.cron = definition.cron;
            this.every = definition.every;
            this.zone = definition.zone;
            this.queue = definition.queue;
            this.priority = definition.priority;
            this.misfire = definition.misfire;
            this.overlap = definition.overlap;
            this.maxAttempts = definition.maxAttempts;
            this.timeout = definition.timeout;
            this.headers = definition.headers;
        }
    }
}
