package dev.jobqueue.internal.operate;

import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.operate.MeterFigures.LimitCounts;
import dev.jobqueue.operate.NodeFigures;
import dev.jobqueue.operate.QueueFigures;
import dev.jobqueue.operate.Throughput;
import dev.jobqueue.operate.UnhandledType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the figures of queues, nodes and the database, at a cost that does not grow with the number of jobs. */
public final class FigureReader {

    static final String TTL = "? * interval '1 millisecond'";

    private final Sql sql;

    public FigureReader(Sql sql) {
        this.sql = sql;
    }

    /** Returns this reader with calls that are given up after the timeout. */
    public FigureReader within(Duration timeout) {
        return new FigureReader(sql.within(timeout));
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
                results -> readFigures(results, max));
    }

    /** How each limit is used. */
    public List<LimitCounts> limits() {
        return sql.query(
                sql.call("find_limits()"),
                statement -> {},
                results -> new LimitCounts(
                        results.getString("name"),
                        results.getLong("held"),
                        results.getLong("waiting"),
                        results.getLong("blocked")));
    }

    public DatabaseFigures database() {
        return sql.queryOne(sql.call("database_figures()"), statement -> {}, FigureReader::readDatabase);
    }

    /**
     * Queues, database, nodes and schedules at once; parameters as for {@link #figures}. One statement, with a row for
     * each queue or one without, because this is asked all the time.
     */
    public MeterFigures meters(int max, Duration ttl) {
        List<QueueFigures> queues = new ArrayList<>();
        List<MeterFigures> rows = sql.query(
                MeterQuery.text(sql.schema()),
                statement -> {
                    statement.setLong(1, ttl.toMillis());
                    statement.setLong(2, ttl.toMillis());
                    statement.setInt(3, max);
                    statement.setLong(4, ttl.toMillis());
                },
                results -> {
                    if (results.getString("queue") != null) {
                        queues.add(readFigures(results, max));
                    }
                    return new MeterFigures(
                            readDatabase(results),
                            queues,
                            results.getLong("nodes"),
                            results.getLong("types"),
                            MeterQuery.overdue(results),
                            results.getLong("late"),
                            MeterQuery.running(results),
                            MeterQuery.limits(results));
                });
        return rows.get(0);
    }

    /** What ended over time, the oldest first, also where nothing ended. */
    public List<Throughput> throughput(@Nullable String queue, @Nullable String type, Duration span, Duration step) {
        return sql.query(
                sql.call("throughput(?, ?, " + TTL + ", " + TTL + ")"),
                statement -> {
                    statement.setString(1, queue);
                    statement.setString(2, type);
                    statement.setLong(3, Spans.toMillis(span));
                    statement.setLong(4, Spans.toMillis(step));
                },
                results ->
                        readThroughput(results, Columns.millis(results, "wait_ms"), Columns.millis(results, "run_ms")));
    }

    /** The same of all queues, minute by minute, where something ended. */
    public Map<String, List<Throughput>> throughputByQueue(Duration span) {
        Map<String, List<Throughput>> queues = new LinkedHashMap<>();
        sql.query(
                sql.call("throughput_by_queue(" + TTL + ")"),
                statement -> statement.setLong(1, Spans.toMillis(span)),
                results -> queues.computeIfAbsent(results.getString("queue"), none -> new ArrayList<>())
                        .add(readThroughput(results, null, null)));
        return queues;
    }

    private static Throughput readThroughput(ResultSet results, @Nullable Duration wait, @Nullable Duration run)
            throws SQLException {
        return new Throughput(
                Columns.time(results, "at"),
                results.getLong("completed"),
                results.getLong("failed"),
                results.getLong("dead"),
                wait,
                run);
    }

    /** Types that wait in a queue and that no live node handles there. */
    public List<UnhandledType> unhandled(Duration ttl) {
        Schema schema = sql.schema();
        String query = "WITH live AS MATERIALIZED (SELECT n.types FROM " + schema.qualified("nodes(" + TTL + ")")
                + " AS n WHERE n.is_live) SELECT u.*,"
                + " EXISTS (SELECT FROM live AS n WHERE u.type = ANY (n.types)) AS elsewhere FROM "
                + schema.qualified("unhandled(" + TTL + ")") + " AS u";
        return sql.query(
                query,
                statement -> {
                    statement.setLong(1, ttl.toMillis());
                    statement.setLong(2, ttl.toMillis());
                },
                results -> new UnhandledType(
                        results.getString("queue"),
                        results.getString("type"),
                        results.getLong("jobs"),
                        Duration.ofMillis(results.getLong("oldest_ms")),
                        results.getBoolean("elsewhere")));
    }

    /** The nodes that registered, the latest first. */
    public List<NodeFigures> nodes(Duration ttl) {
        return sql.query(
                sql.call("nodes(" + TTL + ")"),
                statement -> statement.setLong(1, ttl.toMillis()),
                results -> new NodeFigures(
                        results.getObject("id", UUID.class),
                        results.getString("host"),
                        Columns.integer(results, "pid"),
                        results.getString("version"),
                        Columns.texts(results, "queues"),
                        Columns.texts(results, "types"),
                        Columns.time(results, "started_at"),
                        Duration.ofMillis(results.getLong("beat_ms")),
                        results.getBoolean("is_live"),
                        results.getLong("running")));
    }

    private static QueueFigures readFigures(ResultSet results, int max) throws SQLException {
        return new QueueFigures(
                results.getString("queue"),
                Columns.timeOrNull(results, "paused_at"),
                results.getLong("pending"),
                results.getLong("pending_handled"),
                results.getLong("scheduled"),
                results.getLong("running"),
                results.getLong("dead"),
                Columns.millis(results, "oldest_ms"),
                Columns.millis(results, "oldest_handled_ms"),
                results.getInt("pending_warning"),
                results.getInt("pending_critical"),
                results.getInt("counted_to"),
                results.getLong("waiting"),
                max);
    }

    private static DatabaseFigures readDatabase(ResultSet results) throws SQLException {
        return new DatabaseFigures(
                Columns.millis(results, "transaction_ms"),
                results.getString("transaction_by"),
                results.getLong("xmin_age"),
                results.getLong("live_tuples"),
                results.getLong("dead_tuples"),
                Columns.timeOrNull(results, "vacuumed_at"),
                results.getDouble("notification_usage"));
    }
}
