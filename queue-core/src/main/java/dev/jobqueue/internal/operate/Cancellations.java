package dev.jobqueue.internal.operate;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.spi.JobEvent.Cancelled;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Cancels jobs, and tells the listeners of this node after the commit which of them waited. The node that runs a job
 * tells its own listeners when it has stopped it.
 */
final class Cancellations {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Sql sql;
    private final QueueEvents events;

    Cancellations(Sql sql, QueueEvents events) {
        this.sql = sql;
        this.events = events;
    }

    /** Cancels a job that waits, or asks the worker that runs it: then it is still {@link JobState#RUNNING}. */
    JobState cancel(UUID id) {
        return events.followsJobs() ? cancelAndTell(id) : cancelOnly(id);
    }

    private JobState cancelOnly(UUID id) {
        return sql.queryOne(
                sql.call("cancel(?)"),
                statement -> statement.setObject(1, id),
                results -> JobState.valueOf(results.getString(1)));
    }

    /** Looks at the job first. When two cancel it at the same moment, both may tell of it. */
    private JobState cancelAndTell(UUID id) {
        String query = "SELECT %s AS state, f.state AS before, f.type, f.queue, f.attempt"
                + " FROM (SELECT) AS once LEFT JOIN %s AS f ON true";
        return sql.queryOne(
                query.formatted(
                        sql.schema().qualified("cancel(?)"), sql.schema().qualified("find_job(?)")),
                statement -> {
                    statement.setObject(1, id);
                    statement.setObject(2, id);
                },
                results -> {
                    JobState state = JobState.valueOf(results.getString("state"));
                    String before = results.getString("before");
                    if (state == JobState.CANCELLED && before != null && waits(JobState.valueOf(before))) {
                        tell(List.of(event(id, results)));
                    }
                    return state;
                });
    }

    private static boolean waits(JobState state) {
        return !state.isTerminal() && state != JobState.RUNNING;
    }

    private static Cancelled event(UUID id, ResultSet results) throws SQLException {
        return new Cancelled(
                id,
                results.getString("type"),
                results.getString("queue"),
                Instant.now(),
                results.getInt("attempt"),
                false);
    }

    /**
     * Tells of jobs that a call for many cancelled.
     *
     * @param cancelled an array of id, type, queue and attempts for each of them; {@code null} if there are none
     */
    void tell(@Nullable String cancelled) {
        if (cancelled != null && events.followsJobs()) {
            Instant now = Instant.now();
            tell(MAPPER.readTree(cancelled)
                    .valueStream()
                    .map(job -> event(job, now))
                    .toList());
        }
    }

    private static Cancelled event(JsonNode job, Instant now) {
        return new Cancelled(
                UUID.fromString(job.get(0).asString()),
                job.get(1).asString(),
                job.get(2).asString(),
                now,
                job.get(3).asInt(),
                false);
    }

    private void tell(List<Cancelled> jobs) {
        sql.callersTransaction().afterCommit(() -> events.cancelled(jobs));
    }
}
