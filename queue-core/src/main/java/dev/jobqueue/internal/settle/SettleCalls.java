package dev.jobqueue.internal.settle;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The SQL functions that end a run. */
public final class SettleCalls {

    private final Sql sql;
    private final String complete;
    private final String completeMany;
    private final String failMany;
    private final String snooze;
    private final String rateLimited;
    private final String release;
    private final String confirmCancel;
    private final String find;

    public SettleCalls(Sql sql) {
        this.sql = sql;
        this.complete = sql.call("complete(?, ?, ?::jsonb)");
        this.completeMany = sql.call("complete_many(?, ?, ?)");
        this.failMany = sql.call("fail_many(?, ?, ?, ?)");
        this.snooze = sql.call("snooze(?, ?, ? * interval '1 millisecond')");
        this.rateLimited = sql.call("rate_limited(?, ?, ? * interval '1 millisecond', ?)");
        this.release = sql.call("release(?, ?, ?)");
        this.confirmCancel = sql.call("cancel(?, ?)");
        this.find = sql.call("find_job(?)");
    }

    /** Completes one job, in the caller's transaction; throws if the lease is lost. */
    public void complete(JobLease lease, @Nullable String result) {
        sql.run(complete, statement -> {
            lease.bind(statement);
            statement.setString(3, result);
        });
    }

    /** Completes many jobs and returns the ids of those whose lease was lost. */
    public List<UUID> completeAll(List<Completion> completions) {
        return sql.query(
                completeMany,
                statement -> {
                    JobLease.bindAll(
                            statement,
                            1,
                            completions.stream().map(Completion::lease).toList());
                    Arrays.bind(statement, 3, "text", completions, Completion::result);
                },
                results -> results.getObject(1, UUID.class));
    }

    /** Records attempts that threw and tells what became of the jobs. */
    public List<Failed> failAll(List<Failure> failures) {
        return sql.query(
                failMany,
                statement -> {
                    JobLease.bindAll(
                            statement, 1, failures.stream().map(Failure::lease).toList());
                    Arrays.bind(statement, 3, "text", failures, Failure::error);
                    Arrays.bind(statement, 4, "bool", failures, Failure::retry);
                },
                SettleCalls::readFailed);
    }

    /** Gives the attempt back and lets the job come back later. */
    public void snooze(JobLease lease, Duration delay) {
        sql.run(snooze, statement -> {
            lease.bind(statement);
            statement.setLong(3, Spans.toMillis(delay));
        });
    }

    /**
     * The same, and closes the lane of the job for as long.
     *
     * @param limit the limit of that lane; {@code null} for the first of the job
     */
    public void rateLimited(JobLease lease, Duration delay, @Nullable String limit) {
        sql.run(rateLimited, statement -> {
            lease.bind(statement);
            statement.setLong(3, Spans.toMillis(delay));
            statement.setString(4, limit);
        });
    }

    /** Gives jobs back that had not begun; returns those whose lease was lost. */
    public List<UUID> release(List<JobLease> leases) {
        return releaseAll(
                leases.stream().map(lease -> new Release(lease, false)).toList());
    }

    /** Gives jobs back that were not handled, without counting the attempt; returns those whose lease was lost. */
    public List<UUID> releaseAll(List<Release> releases) {
        return sql.query(
                release,
                statement -> {
                    JobLease.bindAll(
                            statement, 1, releases.stream().map(Release::lease).toList());
                    Arrays.bind(statement, 3, "bool", releases, Release::begun);
                },
                results -> results.getObject(1, UUID.class));
    }

    public boolean isDead(UUID id) {
        return sql.query(
                        find,
                        statement -> statement.setObject(1, id),
                        results -> "DEAD".equals(results.getString("state")))
                .contains(true);
    }

    /** Ends a running job whose cancellation was asked for. */
    public void confirmCancel(JobLease lease) {
        sql.run(confirmCancel, lease::bind);
    }

    private static Failed readFailed(ResultSet results) throws SQLException {
        OffsetDateTime runAt = results.getObject(3, OffsetDateTime.class);
        return new Failed(
                results.getObject(1, UUID.class),
                state(results.getString(2)),
                runAt == null ? null : runAt.toInstant());
    }

    private static @Nullable JobState state(@Nullable String state) {
        return state == null ? null : JobState.valueOf(state);
    }

    /** A handled job and its result as JSON. */
    public record Completion(JobLease lease, @Nullable String result) {}

    /** An attempt that threw. */
    public record Failure(JobLease lease, String error, boolean retry) {}

    /**
     * A job that is given back.
     *
     * @param begun whether its handler had begun: a job to which this happens again and again dies
     */
    public record Release(JobLease lease, boolean begun) {}

    /**
     * What became of a job whose attempt threw.
     *
     * @param state {@code null} if the lease was lost
     * @param runAt when the next attempt is due; {@code null} if there is none
     */
    public record Failed(
            UUID id, @Nullable JobState state, @Nullable Instant runAt) {}
}
