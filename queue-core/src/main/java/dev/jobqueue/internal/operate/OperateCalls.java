package dev.jobqueue.internal.operate;

import dev.jobqueue.JobState;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.db.Sql;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What operators do: cancel, replay, purge, pause, and the settings; in the caller's transaction if there is one. */
public final class OperateCalls {

    private static final String MILLIS = "? * interval '1 millisecond'";

    private final Sql sql;
    private final @Nullable String owner;

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
        this.sql = sql;
        this.owner = owner;
    }

    /** What is known of a job, JSON still as text. */
    public Optional<FoundJob> find(UUID id) {
        return sql
                .query(
                        sql.call("find_job(?)"),
                        statement -> statement.setObject(1, id),
                        results -> FoundJob.read(id, results))
                .stream()
                .findFirst();
    }

    /** Cancels a job that waits, or asks the worker that runs it: then it is still {@link JobState#RUNNING}. */
    public JobState cancel(UUID id) {
        return sql.queryOne(
                sql.call("cancel(?)"),
                statement -> statement.setObject(1, id),
                results -> JobState.valueOf(results.getString(1)));
    }

    /** Makes a job pending now that waits for its time. */
    public void retry(UUID id) {
        sql.run(sql.call("retry(?)"), statement -> statement.setObject(1, id));
    }

    /** Makes a dead job pending again, with all its attempts before it. */
    public void replay(UUID id) {
        sql.run(sql.call("replay(?)"), statement -> statement.setObject(1, id));
    }

    /** Replays the dead jobs that match; {@code null} matches all. */
    public long replayAll(
            @Nullable String queue, @Nullable String type, @Nullable String errorLike, @Nullable Integer max) {
        return sql.queryOne(
                sql.call("replay_all(?, ?, ?, ?)"),
                statement -> {
                    statement.setString(1, queue);
                    statement.setString(2, type);
                    statement.setString(3, errorLike);
                    statement.setObject(4, max, Types.INTEGER);
                },
                results -> results.getLong(1));
    }

    /** Deletes a dead job for good. */
    public void purge(UUID id) {
        sql.run(sql.call("purge(?)"), statement -> statement.setObject(1, id));
    }

    /** Deletes the dead jobs that match; {@code null} matches all. */
    public long purgeAll(
            @Nullable String queue, @Nullable String type, @Nullable String errorLike, @Nullable Duration olderThan) {
        return sql.queryOne(
                sql.call("purge_all(?, ?, ?, " + MILLIS + ")"),
                statement -> {
                    statement.setString(1, queue);
                    statement.setString(2, type);
                    statement.setString(3, errorLike);
                    setMillis(statement, 4, olderThan);
                },
                results -> results.getLong(1));
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
}
