package dev.jobqueue.internal.operate;

import dev.jobqueue.internal.db.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks at the queue from outside, at a cost that does not grow with it. */
public final class Observations {

    private static final String TTL = "? * interval '1 millisecond'";

    private final Sql sql;

    public Observations(Sql sql) {
        this.sql = sql;
    }

    /** The same, with calls that are given up after so long. */
    public Observations within(Duration timeout) {
        return new Observations(sql.within(timeout));
    }

    /**
     * How each queue is doing.
     *
     * @param max where counting stops
     * @param ttl how long a node may be silent and still live
     */
    public List<QueueFigures> figures(int max, Duration ttl) {
        return sql.query(
                sql.call("figures(?, " + TTL + ")"),
                statement -> {
                    statement.setInt(1, max);
                    statement.setLong(2, ttl.toMillis());
                },
                Observations::readFigures);
    }

    public DatabaseFigures database() {
        return sql.queryOne(sql.call("database_figures()"), statement -> {}, Observations::readDatabase);
    }

    /** Queues, database, nodes and schedules at once; parameters as for {@link #figures}. */
    public Overview overview(int max, Duration ttl) {
        return Overview.read(sql, max, ttl);
    }

    /** Types that wait in a queue and that no live node handles there. */
    public List<Unhandled> unhandled(Duration ttl) {
        return sql.query(
                sql.call("unhandled(" + TTL + ")"),
                statement -> statement.setLong(1, ttl.toMillis()),
                results -> new Unhandled(
                        results.getString("queue"),
                        results.getString("type"),
                        results.getLong("jobs"),
                        Duration.ofMillis(results.getLong("oldest_ms"))));
    }

    /** The nodes that registered, the latest first. */
    public List<NodeFigures> nodes(Duration ttl) {
        return sql.query(
                sql.call("nodes(" + TTL + ")"),
                statement -> statement.setLong(1, ttl.toMillis()),
                results -> new NodeFigures(
                        results.getObject("id", UUID.class),
                        results.getString("host"),
                        integer(results, "pid"),
                        results.getString("version"),
                        texts(results, "queues"),
                        texts(results, "types"),
                        results.getObject("started_at", OffsetDateTime.class).toInstant(),
                        Duration.ofMillis(results.getLong("beat_ms")),
                        results.getBoolean("is_live"),
                        results.getLong("running")));
    }

    static QueueFigures readFigures(ResultSet results) throws SQLException {
        return new QueueFigures(
                results.getString("queue"),
                instant(results, "paused_at"),
                results.getLong("pending"),
                results.getLong("scheduled"),
                results.getLong("running"),
                results.getLong("dead"),
                millis(results, "oldest_ms"),
                millis(results, "oldest_handled_ms"),
                results.getInt("pending_warning"),
                results.getInt("pending_critical"),
                results.getInt("counted_to"),
                results.getLong("pending_handled"));
    }

    static DatabaseFigures readDatabase(ResultSet results) throws SQLException {
        return new DatabaseFigures(
                millis(results, "transaction_ms"),
                results.getString("transaction_by"),
                results.getLong("xmin_age"),
                results.getLong("live_tuples"),
                results.getLong("dead_tuples"),
                instant(results, "vacuumed_at"),
                results.getDouble("notification_usage"));
    }

    static @Nullable Instant instant(ResultSet results, String column) throws SQLException {
        OffsetDateTime time = results.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    static @Nullable Integer integer(ResultSet results, String column) throws SQLException {
        int value = results.getInt(column);
        return results.wasNull() ? null : value;
    }

    private static @Nullable Duration millis(ResultSet results, String column) throws SQLException {
        long value = results.getLong(column);
        return results.wasNull() ? null : Duration.ofMillis(value);
    }

    private static @Nullable List<String> texts(ResultSet results, String column) throws SQLException {
        java.sql.Array array = results.getArray(column);
        return array == null
                ? null
                : Stream.of((String[]) array.getArray()).sorted().toList();
    }

    /**
     * How a queue is doing.
     *
     * @param oldest how long the oldest pending job is due, {@code null} if none is
     * @param oldestHandled the same, without types that the live nodes of the queue do not handle
     * @param countedTo where counting the pending ones stopped: so many means at least so many
     */
    public record QueueFigures(
            String queue,
            @Nullable Instant pausedAt,
            long pending,
            long scheduled,
            long running,
            long dead,
            @Nullable Duration oldest,
            @Nullable Duration oldestHandled,
            int pendingWarning,
            int pendingCritical,
            int countedTo,
            long pendingHandled) {}

    /**
     * What of PostgreSQL itself matters to a queue.
     *
     * @param oldestTransaction for how long somebody has been holding a snapshot
     * @param heldBy who that is
     * @param xminAge how many transactions ago vacuum may clean up at most
     * @param notificationUsage how full the queue of notifications is, from 0 to 1
     */
    public record DatabaseFigures(
            @Nullable Duration oldestTransaction,
            @Nullable String heldBy,
            long xminAge,
            long liveTuples,
            long deadTuples,
            @Nullable Instant vacuumedAt,
            double notificationUsage) {}

    /** A type that waits for a handler, and how many of the first jobs of its queue are of it. */
    public record Unhandled(String queue, String type, long jobs, Duration oldest) {}

    /** A worker as it registered, and since when it has been silent. */
    public record NodeFigures(
            UUID id,
            @Nullable String host,
            @Nullable Integer pid,
            @Nullable String version,
            @Nullable List<String> queues,
            @Nullable List<String> types,
            Instant startedAt,
            Duration sinceBeat,
            boolean isLive,
            long running) {}
}
