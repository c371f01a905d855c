package dev.jobqueue.internal.operate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.operate.DeadGroup;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobDetails.JobError;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobPage;
import dev.jobqueue.operate.JobReason;
import dev.jobqueue.operate.JobSummary;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reads jobs wherever they are: live, dead, or in the history. */
public final class JobReader {

    private final Sql sql;
    private final Json json;

    public JobReader(Sql sql, Json json) {
        this.sql = sql;
        this.json = json;
    }

    /** Returns this reader with calls that are given up after the timeout. */
    public JobReader within(Duration timeout) {
        return new JobReader(sql.within(timeout), json);
    }

    public Optional<JobDetails> find(UUID id) {
        String find = "SELECT *, extract(epoch FROM timeout) * 1000 AS timeout_ms FROM "
                + sql.schema().qualified("find_job(?)");
        return sql.query(find, statement -> statement.setObject(1, id), results -> readDetails(id, results)).stream()
                .findFirst();
    }

    /** The same for many, in the order asked for, without those that nobody knows. */
    public List<JobDetails> find(Collection<UUID> ids) {
        String find = "SELECT *, extract(epoch FROM timeout) * 1000 AS timeout_ms"
                + " FROM unnest(?::uuid[]) WITH ORDINALITY AS asked (asked_id, number)"
                + " CROSS JOIN LATERAL " + sql.schema().qualified("find_job(asked.asked_id)")
                + " ORDER BY number";
        return sql.query(
                find,
                statement -> Arrays.bind(statement, 1, "uuid", ids, id -> id),
                results -> readDetails(results.getObject("asked_id", UUID.class), results));
    }

    public JobPage find(JobFilter filter, JobCursor after, int limit) {
        String cursor = decode(after);
        AtomicReference<@Nullable String> next = new AtomicReference<>();
        List<Optional<JobSummary>> rows = sql.query(
                sql.call("find_jobs(" + Filters.ARGUMENT + ", ?, ?)"),
                statement -> {
                    Filters.bind(statement, filter);
                    statement.setString(Filters.COUNT + 1, cursor);
                    statement.setInt(Filters.COUNT + 2, limit);
                },
                results -> {
                    next.set(results.getString("cursor"));
                    return next.get() == null ? Optional.of(readSummary(results)) : Optional.empty();
                });
        String following = next.get();
        return new JobPage(
                rows.stream().flatMap(Optional::stream).toList(), following == null ? null : encode(following));
    }

    public JobCount count(JobFilter filter) {
        return sql.queryOne(
                sql.call("count_jobs(" + Filters.ARGUMENT + ")"),
                statement -> Filters.bind(statement, filter),
                results -> new JobCount(results.getLong("jobs"), results.getBoolean("is_at_least")));
    }

    /** The dead jobs by their errors. */
    public List<DeadGroup> deadGroups(int limit) {
        return sql.query(
                sql.call("dead_groups(?)"),
                statement -> statement.setInt(1, limit),
                results -> new DeadGroup(
                        results.getString("fingerprint"),
                        results.getString("queue"),
                        results.getString("type"),
                        results.getString("error"),
                        new JobCount(results.getLong("jobs"), results.getBoolean("is_at_least")),
                        Columns.time(results, "first_at"),
                        Columns.time(results, "last_at"),
                        results.getObject("example", UUID.class)));
    }

    /** Why a job is not running; empty if nobody knows it. */
    public List<JobReason> why(UUID id, Duration ttl) {
        return sql.query(
                sql.call("why(?, ? * interval '1 millisecond')"),
                statement -> {
                    statement.setObject(1, id);
                    statement.setLong(2, ttl.toMillis());
                },
                results -> new JobReason(
                        results.getString("queue"),
                        JobState.valueOf(results.getString("state")),
                        results.getString("reason"),
                        results.getString("message")));
    }

    private JobDetails readDetails(UUID id, ResultSet results) throws SQLException {
        return new JobDetails(
                id,
                results.getString("queue"),
                results.getString("type"),
                JobState.valueOf(results.getString("state")),
                results.getInt("priority"),
                results.getInt("attempt"),
                results.getInt("max_attempts"),
                Columns.integer(results, "percent"),
                results.getString("stage"),
                results.getString("payload"),
                json.readHeaders(results.getString("headers")),
                results.getString("result"),
                List.of(json.read(results.getString("errors"), JobError[].class)),
                Columns.time(results, "created_at"),
                Columns.time(results, "run_at"),
                Columns.timeOrNull(results, "claimed_at"),
                Columns.timeOrNull(results, "finished_at"),
                results.getBoolean("cancel_requested"),
                results.getObject("worker_id", UUID.class),
                Columns.millis(results, "timeout_ms"),
                results.getString("unique_key"),
                json.readHeaders(results.getString("limits")),
                results.getString("reason"),
                Trail.steps(results.getString("steps")),
                Trail.events(results.getString("events")),
                results.getObject("flow", UUID.class),
                results.getString("flow_step"));
    }

    private static JobSummary readSummary(ResultSet results) throws SQLException {
        return new JobSummary(
                results.getObject("id", UUID.class),
                results.getString("queue"),
                results.getString("type"),
                JobState.valueOf(results.getString("state")),
                results.getInt("priority"),
                Columns.time(results, "run_at"),
                Columns.time(results, "created_at"),
                results.getInt("attempt"),
                results.getInt("max_attempts"),
                results.getObject("worker_id", UUID.class),
                Columns.timeOrNull(results, "claimed_at"),
                Columns.timeOrNull(results, "finished_at"),
                Columns.integer(results, "percent"),
                results.getString("stage"),
                results.getString("error"));
    }

    private static JobCursor encode(String cursor) {
        return new JobCursor(
                Base64.getUrlEncoder().withoutPadding().encodeToString(cursor.getBytes(StandardCharsets.UTF_8)));
    }

    private static @Nullable String decode(JobCursor cursor) {
        if (cursor.equals(JobCursor.START)) {
            return null;
        }
        try {
            return new String(Base64.getUrlDecoder().decode(cursor.text()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException ex) {
            throw new InvalidJobException(
                    "after is '%s': must be what 'next' of the page before said".formatted(cursor.text()), ex);
        }
    }
}
