package dev.jobqueue.internal.store;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Spans;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a worker does with jobs, from the claim to the settlement. */
public final class JobStore {

    private final Sql sql;
    private final String claim;
    private final String confirm;
    private final String complete;
    private final String completeMany;
    private final String failMany;
    private final String snooze;
    private final String release;
    private final String extend;
    private final String progress;
    private final String log;
    private final String saveStep;
    private final String confirmCancel;
    private final String find;

    public JobStore(Sql sql) {
        this.sql = sql;
        this.claim = sql.hastyCall("claim(?, ?, ?, ?, ?)");
        this.confirm = sql.hastyCall("confirm(?, ?)");
        this.complete = sql.call("complete(?, ?, ?::jsonb)");
        this.completeMany = sql.call("complete_many(?, ?, ?)");
        this.failMany = sql.call("fail_many(?, ?, ?, ?)");
        this.snooze = sql.call("snooze(?, ?, ? * interval '1 millisecond')");
        this.release = sql.call("release(?, ?, ?)");
        this.extend = sql.call("extend(?, ?, ? * interval '1 millisecond')");
        this.progress = sql.hastyCall("progress(?, ?, ?, ?)");
        this.log = sql.hastyCall("log(?, ?, ?, ?)");
        this.saveStep = "SELECT r.result::text FROM (SELECT ?::jsonb AS result) AS r CROSS JOIN LATERAL "
                + sql.schema().qualified("save_step(?, ?, ?, r.result)");
        this.confirmCancel = sql.call("cancel(?, ?)");
        this.find = sql.call("find_job(?)");
    }

    /**
     * Takes due jobs, in claim order.
     *
     * @param limits how many at most, by queue
     * @param types only of these types; {@code null} means all
     */
    public List<ClaimedJob> claim(UUID workerId, Map<String, Integer> limits, @Nullable Collection<String> types) {
        return claim(workerId, limits, types, null);
    }

    /**
     * The same, without a payload after those that make it so many bytes.
     *
     * @param maxBytes of payloads in each queue; {@code null} means any number
     */
    public List<ClaimedJob> claim(
            UUID workerId, Map<String, Integer> limits, @Nullable Collection<String> types, @Nullable Long maxBytes) {
        return sql.query(
                claim,
                statement -> {
                    statement.setObject(1, workerId);
                    Arrays.bind(statement, 2, "text", limits.entrySet(), Map.Entry::getKey);
                    Arrays.bind(statement, 3, "int4", limits.entrySet(), Map.Entry::getValue);
                    Arrays.bindTexts(statement, 4, types);
                    statement.setObject(5, maxBytes, Types.BIGINT);
                },
                JobStore::readClaimed);
    }

    /** Takes the jobs that were published under these leases and are committed. */
    public List<ClaimedJob> confirm(UUID workerId, Collection<Long> leases) {
        return sql.query(
                confirm,
                statement -> {
                    statement.setObject(1, workerId);
                    Arrays.bind(statement, 2, "int8", leases, number -> number);
                },
                JobStore::readClaimed);
    }

    /** Completes one job, in the caller's transaction; throws if the lease is lost. */
    public void complete(Claim claim, @Nullable String result) {
        sql.run(complete, statement -> {
            bind(statement, claim);
            statement.setString(3, result);
        });
    }

    /** Completes many jobs and returns the ids of those whose lease was lost. */
    public List<UUID> completeAll(List<Completion> completions) {
        return sql.query(
                completeMany,
                statement -> {
                    Arrays.bind(
                            statement,
                            1,
                            "uuid",
                            completions,
                            completion -> completion.claim().id());
                    Arrays.bind(
                            statement,
                            2,
                            "int8",
                            completions,
                            completion -> completion.claim().lease());
                    Arrays.bind(statement, 3, "text", completions, Completion::result);
                },
                results -> results.getObject(1, UUID.class));
    }

    /** Records attempts that threw and tells what became of the jobs. */
    public List<Failed> failAll(List<Failure> failures) {
        return sql.query(
                failMany,
                statement -> {
                    Arrays.bind(
                            statement,
                            1,
                            "uuid",
                            failures,
                            failure -> failure.claim().id());
                    Arrays.bind(
                            statement,
                            2,
                            "int8",
                            failures,
                            failure -> failure.claim().lease());
                    Arrays.bind(statement, 3, "text", failures, Failure::error);
                    Arrays.bind(statement, 4, "bool", failures, Failure::retry);
                },
                JobStore::readFailed);
    }

    /** Gives the attempt back and lets the job come back later. */
    public void snooze(Claim claim, Duration delay) {
        sql.run(snooze, statement -> {
            bind(statement, claim);
            statement.setLong(3, Spans.toMillis(delay));
        });
    }

    /** Gives jobs back that had not begun; returns those whose lease was lost. */
    public List<UUID> release(List<Claim> claims) {
        return releaseAll(
                claims.stream().map(claim -> new Release(claim, false)).toList());
    }

    /** Gives jobs back that were not handled, without counting the attempt; returns those whose lease was lost. */
    public List<UUID> releaseAll(List<Release> releases) {
        return sql.query(
                release,
                statement -> {
                    Arrays.bindClaims(
                            statement, 1, releases.stream().map(Release::claim).toList());
                    Arrays.bind(statement, 3, "bool", releases, Release::begun);
                },
                results -> results.getObject(1, UUID.class));
    }

    /** Lets the attempt run for this long from now; returns when it will time out. */
    public Instant extend(Claim claim, Duration timeout) {
        return sql.queryOne(
                extend,
                statement -> {
                    bind(statement, claim);
                    statement.setLong(3, Spans.toMillis(timeout));
                },
                results -> instant(results, 1));
    }

    public void progress(Claim claim, int percent, @Nullable String stage) {
        sql.run(progress, statement -> {
            bind(statement, claim);
            statement.setInt(3, percent);
            statement.setString(4, stage);
        });
    }

    public void log(Claim claim, String level, String message) {
        sql.run(log, statement -> {
            bind(statement, claim);
            statement.setString(3, level);
            statement.setString(4, message);
        });
    }

    /** Stores the result of a step and returns its JSON as it is stored: as later attempts will get it. */
    public String saveStep(Claim claim, String step, @Nullable String result) {
        return sql.queryOne(
                saveStep,
                statement -> {
                    statement.setString(1, result);
                    statement.setObject(2, claim.id());
                    statement.setLong(3, claim.lease());
                    statement.setString(4, step);
                },
                results -> Objects.requireNonNullElse(results.getString(1), "null"));
    }

    public boolean isDead(UUID id) {
        return sql.query(
                        find,
                        statement -> statement.setObject(1, id),
                        results -> "DEAD".equals(results.getString("state")))
                .contains(true);
    }

    /** Ends a running job whose cancellation was asked for. */
    public void confirmCancel(Claim claim) {
        sql.run(confirmCancel, statement -> bind(statement, claim));
    }

    private static void bind(PreparedStatement statement, Claim claim) throws SQLException {
        statement.setObject(1, claim.id());
        statement.setLong(2, claim.lease());
    }

    /** By position: a name would be looked up for every row. */
    private static ClaimedJob readClaimed(ResultSet results) throws SQLException {
        Instant createdAt = instant(results, 12);
        Instant runAt = instant(results, 13);
        OffsetDateTime timeoutAt = results.getObject(14, OffsetDateTime.class);
        Instant claimedAt = instant(results, 16);
        return new ClaimedJob(
                new Claim(results.getObject(1, UUID.class), results.getLong(7)),
                results.getString(2),
                results.getString(3),
                results.getString(4),
                results.getInt(5),
                results.getInt(6),
                results.getString(8),
                results.getString(9),
                results.getObject(10, Integer.class),
                results.getString(11),
                createdAt,
                runAt,
                timeoutAt == null ? null : ChronoUnit.MILLIS.between(claimedAt, timeoutAt.toInstant()),
                ChronoUnit.MILLIS.between(runAt.isAfter(createdAt) ? runAt : createdAt, claimedAt));
    }

    private static Failed readFailed(ResultSet results) throws SQLException {
        OffsetDateTime runAt = results.getObject(3, OffsetDateTime.class);
        return new Failed(
                results.getObject(1, UUID.class),
                state(results.getString(2)),
                runAt == null ? null : runAt.toInstant());
    }

    private static Instant instant(ResultSet results, int column) throws SQLException {
        return results.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static @Nullable JobState state(@Nullable String state) {
        return state == null ? null : JobState.valueOf(state);
    }

    /** A handled job and its result as JSON. */
    public record Completion(Claim claim, @Nullable String result) {}

    /** An attempt that threw. */
    public record Failure(Claim claim, String error, boolean retry) {}

    /**
     * A job that is given back.
     *
     * @param begun whether its handler had begun: a job to which this happens again and again dies
     */
    public record Release(Claim claim, boolean begun) {}

    /**
     * What became of a job whose attempt threw.
     *
     * @param state {@code null} if the lease was lost
     * @param runAt when the next attempt is due; {@code null} if there is none
     */
    public record Failed(
            UUID id, @Nullable JobState state, @Nullable Instant runAt) {}
}
