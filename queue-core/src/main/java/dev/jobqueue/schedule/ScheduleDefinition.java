package dev.jobqueue.schedule;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobType;
import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A schedule to set: a name, the type of the jobs it publishes, when it publishes them, and options that differ from
 * the defaults. Immutable; each method returns a changed copy. In a Spring application, a schedule that is declared as
 * a bean is set at start.
 *
 * <pre>{@code
 * ScheduleDefinition.of("nightly", "report.build").cron("0 3 * * *").zone("Europe/Berlin").payload(new Report(7))
 * }</pre>
 *
 * <p>Spans of time are checked at once, all other values when the schedule is set: {@link InvalidJobException} names
 * what is wrong.
 */
public final class ScheduleDefinition {

    /** Not changed after it was assigned. */
    private final Draft draft;

    private ScheduleDefinition(Draft draft) {
        this.draft = draft;
    }

    /**
     * Define a schedule that publishes jobs of the given type; it still needs {@link #cron} or {@link #every}.
     *
     * @param name the name, unique in the database
     * @param type the type of its jobs
     * @return the schedule
     */
    public static ScheduleDefinition of(String name, String type) {
        return new ScheduleDefinition(new Draft(name, type));
    }

    private ScheduleDefinition copy(Consumer<Draft> change) {
        Draft copy = new Draft(draft);
        change.accept(copy);
        return new ScheduleDefinition(copy);
    }

    /**
     * Set the type of the jobs.
     *
     * @param type the type
     * @return a changed copy
     */
    public ScheduleDefinition type(String type) {
        return copy(draft -> draft.type = Objects.requireNonNull(type, "type"));
    }

    /**
     * Set a cron expression: five crontab fields (minute, hour, day of month, month, day of week), six with the second
     * before them, or a word such as {@code @daily}.
     *
     * @param cron the expression
     * @return a changed copy
     */
    public ScheduleDefinition cron(String cron) {
        return copy(draft -> {
            draft.cron = cron;
            draft.every = null;
        });
    }

    /**
     * Set an interval. The first run is due one interval after the schedule was set.
     *
     * @param every at least a second
     * @return a changed copy
     */
    public ScheduleDefinition every(Duration every) {
        return copy(draft -> {
            draft.every = every;
            draft.cron = null;
        });
    }

    /**
     * Set the time zone of the cron expression.
     *
     * @param zone such as {@code Europe/Berlin}; the default is UTC
     * @return a changed copy
     */
    public ScheduleDefinition zone(String zone) {
        return copy(draft -> draft.zone = zone);
    }

    /**
     * Set the payload of the jobs; without one it is an empty object.
     *
     * @param payload what its jobs carry
     * @return a changed copy
     */
    public ScheduleDefinition payload(@Nullable Object payload) {
        return copy(draft -> draft.payload = payload);
    }

    /**
     * Set the queue of the jobs, instead of the one that {@link JobType#queue()} of the payload or the handler names,
     * or {@code default}.
     *
     * @param queue the name of the queue
     * @return a changed copy
     */
    public ScheduleDefinition queue(String queue) {
        return copy(draft -> draft.queue = queue);
    }

    /**
     * Set the priority of the jobs.
     *
     * @param priority any integer; the default is 0
     * @return a changed copy
     */
    public ScheduleDefinition priority(int priority) {
        return copy(draft -> draft.priority = priority);
    }

    /**
     * Set what becomes of runs that were due while no node was up.
     *
     * @param misfire the default is {@link Misfire#ONCE}
     * @return a changed copy
     */
    public ScheduleDefinition misfire(Misfire misfire) {
        return copy(draft -> draft.misfire = Objects.requireNonNull(misfire, "misfire"));
    }

    /**
     * Set whether a run starts while the last one is pending or running.
     *
     * @param overlap the default is {@link Overlap#ALLOW}
     * @return a changed copy
     */
    public ScheduleDefinition overlap(Overlap overlap) {
        return copy(draft -> draft.overlap = Objects.requireNonNull(overlap, "overlap"));
    }

    /**
     * Set after how many attempts the jobs are dead, instead of what the retry policy of their type says.
     *
     * @param maxAttempts at least 1
     * @return a changed copy
     */
    public ScheduleDefinition maxAttempts(int maxAttempts) {
        return copy(draft -> draft.maxAttempts = maxAttempts);
    }

    /**
     * Set the timeout; an attempt that takes longer is interrupted.
     *
     * @param timeout how long an attempt may take
     * @return a changed copy
     */
    public ScheduleDefinition timeout(Duration timeout) {
        return copy(draft -> draft.timeout = timeout);
    }

    /**
     * Add a header to the jobs.
     *
     * @param name the name of the header
     * @param value its value
     * @return a changed copy
     */
    public ScheduleDefinition header(String name, String value) {
        return copy(draft -> {
            Map<String, String> changed = new LinkedHashMap<>(draft.headers);
            changed.put(Objects.requireNonNull(name, "name"), value);
            draft.headers = Collections.unmodifiableMap(changed);
        });
    }

    /** {@return the name} */
    public String name() {
        return draft.name;
    }

    /** {@return the type of its jobs} */
    public String type() {
        return draft.type;
    }

    /** {@return what its jobs carry} */
    public @Nullable Object payload() {
        return draft.payload;
    }

    /** {@return the expression; {@code null} if it runs at an interval} */
    public @Nullable String cron() {
        return draft.cron;
    }

    /** {@return the interval; {@code null} if it runs by an expression} */
    public @Nullable Duration every() {
        return draft.every;
    }

    /** {@return the time zone of the expression} */
    public String zone() {
        return draft.zone;
    }

    /** {@return the queue of its jobs; {@code null} for that of their type} */
    public @Nullable String queue() {
        return draft.queue;
    }

    /** {@return the priority of its jobs} */
    public int priority() {
        return draft.priority;
    }

    /** {@return what becomes of runs that were missed} */
    public Misfire misfire() {
        return draft.misfire;
    }

    /** {@return whether runs may overlap} */
    public Overlap overlap() {
        return draft.overlap;
    }

    /** {@return how many attempts its jobs get; {@code null} for what the policy says} */
    public @Nullable Integer maxAttempts() {
        return draft.maxAttempts;
    }

    /** {@return how long an attempt may take; {@code null} for what the policy says} */
    public @Nullable Duration timeout() {
        return draft.timeout;
    }

    /** {@return the headers of its jobs} */
    public Map<String, String> headers() {
        return draft.headers;
    }

    /** {@return the schedule without its payload, which may be private} */
    @Override
    public String toString() {
        return "ScheduleDefinition[name=%s, type=%s]".formatted(draft.name, draft.type);
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

        Draft(Draft other) {
            this(other.name, other.type);
            this.payload = other.payload;
            this.cron = other.cron;
            this.every = other.every;
            this.zone = other.zone;
            this.queue = other.queue;
            this.priority = other.priority;
            this.misfire = other.misfire;
            this.overlap = other.overlap;
            this.maxAttempts = other.maxAttempts;
            this.timeout = other.timeout;
            this.headers = other.headers;
        }
    }
}
