package dev.jobqueue.internal.operate;

import dev.jobqueue.JobState;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.operate.JobFilter;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The calls of operators: on one job, on those that match a filter, on queues, and the settings. */
public final class OperateCalls {

    private static final String MILLIS = "? * interval '1 millisecond'";

    private final Sql sql;
    private final @Nullable String owner;
    private final Cancellations cancellations;

    /** For operators, who own nothing. */
    public OperateCalls(Sql sql) {
        this(sql, null);
    }

    /**
     * For an application.
     *
     * @param owner its name, to be kept with the settings it changes
     */
    public OperateCalls(Sql sql, @Nullable String owner) {
        this(sql, owner, QueueEvents.NONE);
    }

    /**
     * For the operations of an application that has listeners.
     *
     * @param events told of waiting jobs that are cancelled
     */
    OperateCalls(Sql sql, @Nullable String owner, QueueEvents events) {
        this.sql = sql;
        this.owner = owner;
        this.cancellations = new Cancellations(sql, events);
    }

    /** Cancels a job that waits, or asks the worker that runs it: then it is still {@link JobState#RUNNING}. */
    public JobState cancel(UUID id) {
        return cancellations.cancel(id);
    }

    /** Makes a job pending now that waits for its time. */
    public void retry(UUID id) {
        sql.run(sql.call("retry(?)"), statement -> statement.setObject(1, id));
    }

    /** Makes a dead job pending again, with all its attempts before it. */
    public void replay(UUID id) {
        sql.run(sql.call("replay(?)"), statement -> statement.setObject(1, id));
    }

    /** Deletes a dead job for good. */
    public void purge(UUID id) {
        sql.run(sql.call("purge(?)"), statement -> statement.setObject(1, id));
    }

    /** Gives a job another priority, and returns the state it has. */
    public JobState reprioritise(UUID id, int priority) {
        return sql.queryOne(
                sql.call("reprioritise(?, ?)"),
                statement -> {
                    statement.setObject(1, id);
                    statement.setInt(2, priority);
                },
                results -> JobState.valueOf(results.getString(1)));
    }

    /** Makes a job that waits due at another time, and returns the state it has then. */
    public JobState reschedule(UUID id, Instant runAt) {
        return sql.queryOne(
                sql.call("reschedule(?, ?)"),
                statement -> {
                    statement.setObject(1, id);
                    Filters.bindTime(statement, 2, "run_at", runAt);
                },
                results -> JobState.valueOf(results.getString(1)));
    }

    /**
     * Acts on some of the jobs that match a filter.
     *
     * @param after the cursor of the batch before; {@code null} for the first
     * @param max how many jobs at most
     * @param dryRun whether to tell only how many it would be
     */
    public Batch act(Action action, JobFilter filter, @Nullable String after, int max, boolean dryRun) {
        int next = Filters.COUNT + (action.argument() == null ? 1 : 2);
        return sql.queryOne(
                sql.call("%s(%s%s, ?, ?, ?)"
                        .formatted(action.function(), Filters.ARGUMENT, action.argument() == null ? "" : ", ?")),
                statement -> {
                    Filters.bind(statement, filter);
                    if (action.argument() instanceof Instant time) {
                        Filters.bindTime(statement, Filters.COUNT + 1, "run_at", time);
                    } else if (action.argument() != null) {
                        statement.setObject(Filters.COUNT + 1, action.argument());
                    }
                    statement.setString(next, after);
                    statement.setInt(next + 1, max);
                    statement.setBoolean(next + 2, dryRun);
                },
                results -> {
                    if (action.equals(Action.CANCEL)) {
                        cancellations.tell(results.getString("cancelled"));
                    }
                    return new Batch(results.getLong("jobs"), results.getString("cursor"));
                });
    }

    /** Stops claiming from the queue, on all nodes. */
    public void pause(String queue) {
        sql.run(sql.call("pause(?)"), statement -> statement.setString(1, queue));
    }

    public void resume(String queue) {
        sql.run(sql.call("resume(?)"), statement -> statement.setString(1, queue));
    }

    /**
     * Changes the settings of all queues; {@code null} leaves one as it is.
     *
     * @return the other application whose values were replaced, if there is one
     */
    public Optional<String> configure(
            @Nullable Duration retention,
            @Nullable Integer maxPayloadBytes,
            @Nullable Integer pendingWarning,
            @Nullable Integer pendingCritical) {
        return replaced("configure(" + MILLIS + ", ?, ?, ?, ?)", statement -> {
            setMillis(statement, 1, retention);
            statement.setObject(2, maxPayloadBytes, Types.INTEGER);
            statement.setObject(3, pendingWarning, Types.INTEGER);
            statement.setObject(4, pendingCritical, Types.INTEGER);
            statement.setString(5, owner);
        });
    }

    /** Changes the settings of one queue; parameters and answer as for {@link #configure}. */
    public Optional<String> configureQueue(
            String queue,
            @Nullable Duration retention,
            @Nullable Integer pendingWarning,
            @Nullable Integer pendingCritical) {
        return replaced("configure_queue(?, " + MILLIS + ", ?, ?, ?)", statement -> {
            statement.setString(1, queue);
            setMillis(statement, 2, retention);
            statement.setObject(3, pendingWarning, Types.INTEGER);
            statement.setObject(4, pendingCritical, Types.INTEGER);
            statement.setString(5, owner);
        });
    }

    /** Sets how jobs of a type are tried again, and for how long; answers as {@link #configure} does. */
    public Optional<String> setRetryPolicy(String type, RetryPolicy policy, @Nullable Duration timeout) {
        String call = "set_retry_policy(?, ?, " + MILLIS + ", ?, " + MILLIS + ", ?, " + MILLIS + ", ?)";
        return replaced(call, statement -> {
            statement.setString(1, type);
            statement.setInt(2, policy.maxAttempts());
            setMillis(statement, 3, policy.backoff());
            statement.setDouble(4, policy.factor());
            setMillis(statement, 5, policy.maximum());
            statement.setDouble(6, policy.jitter());
            setMillis(statement, 7, timeout);
            statement.setString(8, owner);
        });
    }

    private Optional<String> replaced(String call, Sql.Binder binder) {
        return sql.queryOne(sql.call(call), binder, results -> Optional.ofNullable(results.getString(1)));
    }

    private static void setMillis(PreparedStatement statement, int index, @Nullable Duration duration)
            throws SQLException {
        statement.setObject(index, duration == null ? null : Spans.toMillis(duration), Types.BIGINT);
    }

    /** A function for the jobs that match a filter, and what it needs to know beside it. */
    public record Action(String function, @Nullable Object argument) {

        public static final Action CANCEL = new Action("cancel_jobs", null);
        public static final Action RETRY = new Action("retry_jobs", null);
        public static final Action REPLAY = new Action("replay_jobs", null);
        public static final Action PURGE = new Action("purge_jobs", null);

        public static Action reprioritise(int priority) {
            return new Action("reprioritise_jobs", priority);
        }

        public static Action reschedule(Instant runAt) {
            return new Action("reschedule_jobs", runAt);
        }
    }

    /** How many jobs were taken, and where to go on: {@code null} if there are no more. */
    public record Batch(long jobs, @Nullable String cursor) {}
}
