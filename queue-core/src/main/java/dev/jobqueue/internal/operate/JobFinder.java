package dev.jobqueue.internal.operate;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.db.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Finds jobs wherever they are: live, dead, or in the history. */
public final class JobFinder {

    /** Where counting dead letters stops. */
    public static final int MOST_DEAD = 100_000;

    private final Sql sql;

    public JobFinder(Sql sql) {
        this.sql = sql;
    }

    /** The same, with calls that are given up after so long. */
    public JobFinder within(Duration timeout) {
        return new JobFinder(sql.within(timeout));
    }

    /** A page of the jobs that match; it may hold fewer than asked for although there are more. */
    public Page find(Filter filter, @Nullable String after, int max) {
        AtomicReference<@Nullable String> next = new AtomicReference<>();
        List<Optional<ListedJob>> rows = sql.query(
                sql.call("find_jobs(?, ?, ?, ?, ?)"),
                statement -> {
                    statement.setString(1, filter.state().name());
                    statement.setString(2, filter.queue());
                    statement.setString(3, filter.type());
                    statement.setString(4, after);
                    statement.setInt(5, max);
                },
                results -> {
                    next.set(results.getString("cursor"));
                    return next.get() == null ? Optional.of(read(results)) : Optional.empty();
                });
        return new Page(rows.stream().flatMap(Optional::stream).toList(), next.get());
    }

    /** All that is known of a job, as a JSON object; {@code null} if it is nowhere. */
    public @Nullable String show(UUID id, boolean withPayload) {
        return sql.<@Nullable String>queryOne(
                sql.call("show_job(?, ?)"),
                statement -> {
                    statement.setObject(1, id);
                    statement.setBoolean(2, withPayload);
                },
                results -> results.getString(1));
    }

    /** Why a job is not running; empty if nobody knows it. */
    public List<Reason> why(UUID id, Duration ttl) {
        return sql.query(
                sql.call("why(?, ? * interval '1 millisecond')"),
                statement -> {
                    statement.setObject(1, id);
                    statement.setLong(2, ttl.toMillis());
                },
                results -> new Reason(
                        results.getString("queue"),
                        JobState.valueOf(results.getString("state")),
                        results.getString("reason"),
                        results.getString("message")));
    }

    /**
     * How many dead jobs match, and so would be replayed or purged, up to {@link #MOST_DEAD}; {@code null} matches all.
     *
     * @param replayable whether to leave out those that cannot be replayed, because a live job holds their unique key
     */
    public long countDead(
            @Nullable String queue,
            @Nullable String type,
            @Nullable String errorLike,
            @Nullable Duration olderThan,
            boolean replayable) {
        return sql.queryOne(
                sql.call("count_dead(?, ?, ?, ? * interval '1 millisecond', ?, ?)"),
                statement -> {
                    statement.setString(1, queue);
                    statement.setString(2, type);
                    statement.setString(3, errorLike);
                    statement.setObject(4, olderThan == null ? null : Spans.toMillis(olderThan), Types.BIGINT);
                    statement.setBoolean(5, replayable);
                    statement.setInt(6, MOST_DEAD);
                },
                results -> results.getLong(1));
    }

    private static ListedJob read(ResultSet results) throws SQLException {
        return new ListedJob(
                results.getObject("id", UUID.class),
                results.getString("queue"),
                results.getString("type"),
                JobState.valueOf(results.getString("state")),
                results.getInt("priority"),
                results.getObject("run_at", OffsetDateTime.class).toInstant(),
                results.getObject("created_at", OffsetDateTime.class).toInstant(),
                results.getInt("attempt"),
                results.getInt("max_attempts"),
                results.getObject("worker_id", UUID.class),
                Observations.instant(results, "claimed_at"),
                Observations.instant(results, "finished_at"),
                Observations.integer(results, "percent"),
                results.getString("stage"),
                results.getString("error"));
    }

    /** Which jobs; {@code null} matches all. */
    public record Filter(
            JobState state,
            @Nullable String queue,
            @Nullable String type) {}

    /** Some jobs, and where to go on: {@code null} if there are no more. */
    public record Page(List<ListedJob> jobs, @Nullable String next) {}

    /** Why a job is not running: a word for programs, and a sentence for people. */
    public record Reason(String queue, JobState state, String code, String message) {}

    /** A job in a list. */
    public record ListedJob(
            UUID id,
            String queue,
            String type,
            JobState state,
            int priority,
            Instant runAt,
            Instant createdAt,
            int attempt,
            int maxAttempts,
            @Nullable UUID workerId,
            @Nullable Instant claimedAt,
            @Nullable Instant finishedAt,
            @Nullable Integer percent,
            @Nullable String stage,
            @Nullable String error) {}
}
