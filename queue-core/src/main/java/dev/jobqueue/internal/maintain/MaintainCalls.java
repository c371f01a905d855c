package dev.jobqueue.internal.maintain;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.spi.JobEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What keeps the queue going: any node may do it, at any time. */
public final class MaintainCalls {

    private static final String SPANS = "? * interval '1 millisecond', ? * interval '1 millisecond'";

    private final Sql sql;
    private final String promote;
    private final String promoteDue;
    private final String rescue;
    private final String prune;

    /**
     * How long a chore waits for whoever holds something locked: the chores behind it must not wait for that too.
     */
    private static final Duration LOCK_WAIT = Duration.ofMillis(500);

    /**
     * The calls of a node, none of which waits for long while somebody holds something locked.
     *
     * @param apart joins no transaction
     */
    public static MaintainCalls ofNode(Sql apart) {
        return new MaintainCalls(apart.waitingForLocks(LOCK_WAIT));
    }

    public MaintainCalls(Sql sql) {
        this.sql = sql;
        this.promote =
                sql.waiting("SELECT " + until("due") + " FROM " + sql.schema().qualified("promote(?) AS due"));
        this.promoteDue = sql.call("promote(?)");
        // one statement: a row without a job if there is none to rescue
        this.rescue = sql.waiting("SELECT rescued.*, (SELECT " + until("due") + " FROM "
                + sql.schema().qualified("next_rescue(" + SPANS + ") AS due") + ") AS next_ms"
                + " FROM (SELECT) AS once LEFT JOIN "
                + sql.schema().qualified("rescue(" + SPANS + ", ?) AS rescued ON true"));
        this.prune = sql.waiting(
                "SELECT coalesce(bool_or(more), false) FROM " + sql.schema().qualified("prune(?)"));
    }

    private static String until(String time) {
        return "ceil(extract(epoch FROM " + time + " - clock_timestamp()) * 1000)::bigint";
    }

    /**
     * Makes scheduled jobs pending that are due, at most so many. Returns how long it is until the next one by the
     * clock of the database: nothing if there is none, zero if more are due already.
     */
    public Optional<Duration> promote(int max) {
        return sql.queryOne(promote, statement -> statement.setInt(1, max), results -> duration(results, 1));
    }

    /** Makes scheduled jobs pending that are due, at most so many, and returns the due time of the next one. */
    public Optional<Instant> promoteDue(int max) {
        return sql.queryOne(promoteDue, statement -> statement.setInt(1, max), results -> {
            OffsetDateTime next = results.getObject(1, OffsetDateTime.class);
            return Optional.ofNullable(next).map(OffsetDateTime::toInstant);
        });
    }

    /**
     * Takes jobs back from workers that stopped beating, and jobs that outlived their timeout. Also returns how long it
     * is until there can be more.
     *
     * @param ttl how long a worker may be silent that does not say so itself
     * @param grace how long after its timeout a job is left to its own worker
     */
    public Rescue rescue(Duration ttl, Duration grace, int max) {
        List<Rescued> jobs = new ArrayList<>();
        List<Optional<Duration>> next = sql.query(
                rescue,
                statement -> {
                    statement.setLong(1, ttl.toMillis());
                    statement.setLong(2, grace.toMillis());
                    statement.setLong(3, ttl.toMillis());
                    statement.setLong(4, grace.toMillis());
                    statement.setInt(5, max);
                },
                results -> {
                    UUID id = results.getObject("id", UUID.class);
                    if (id != null) {
                        jobs.add(new Rescued(
                                id,
                                results.getString("queue"),
                                results.getString("type"),
                                results.getInt("attempt"),
                                JobState.valueOf(results.getString("state")),
                                results.getString("reason")));
                    }
                    return duration(results, results.findColumn("next_ms"));
                });
        return new Rescue(jobs, next.get(0));
    }

    private static Optional<Duration> duration(ResultSet results, int column) throws SQLException {
        long millis = results.getLong(column);
        return results.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis)));
    }

    /**
     * Makes history partitions ahead and removes what is past its retention, at most so many rows; {@code true} if
     * there may be more.
     */
    public boolean prune(int max) {
        return sql.queryOne(prune, statement -> statement.setInt(1, max), results -> results.getBoolean(1));
    }

    /** Counts what ended since the last call; {@code true} if there is more to count. */
    public boolean measure() {
        return sql.queryOne(sql.call("measure()"), statement -> {}, results -> results.getBoolean(1));
    }

    /**
     * What was taken back.
     *
     * @param next how long it is until somebody can be late; nothing if nobody can
     */
    public record Rescue(List<Rescued> jobs, Optional<Duration> next) {}

    /** A job taken back, which of its attempts was lost, what became of it, and why. */
    public record Rescued(UUID id, String queue, String type, int attempt, JobState state, String reason) {

        JobEvent.Rescued event() {
            return new JobEvent.Rescued(id, type, queue, Instant.now(), attempt, state, reason);
        }
    }
}
