package dev.jobqueue.internal.operate;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.operate.MeterFigures.RunningFlows;
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

    private static final String TTL = "? * interval '1 millisecond'";

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
                FigureReader::readFigures);
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
        Schema schema = sql.schema();
        String query = "SELECT d.*, s.*, l.*, q.*,"
                + " (SELECT count(*) FROM " + schema.qualified("nodes(" + TTL + ")")
                + " AS n WHERE n.is_live) AS nodes,"
                + " (SELECT count(DISTINCT u.type) FROM " + schema.qualified("unhandled(" + TTL + ")")
                + " AS u) AS types,"
                + " (SELECT " + schema.qualified("count_overdue_schedules()") + ") AS late,"
                + " r.flow_kinds, r.flow_names, r.flow_counts"
                + " FROM " + schema.qualified("database_figures()") + " AS d CROSS JOIN"
                + " (SELECT array_agg(o.name) AS names, array_agg(o.overdue_ms) AS overdue FROM "
                + schema.qualified("overdue_schedules()") + " AS o) AS s CROSS JOIN"
                + " (SELECT array_agg(f.name) AS limits, array_agg(f.held) AS held, array_agg(f.waiting) AS lined_up,"
                + " array_agg(f.blocked) AS blocked FROM "
                + schema.qualified("find_limits()") + " AS f) AS l CROSS JOIN"
                + " (SELECT array_agg(f.kind) AS flow_kinds, array_agg(f.name) AS flow_names,"
                + " array_agg(f.running) AS flow_counts FROM " + schema.qualified("flow_figures()") + " AS f) AS r"
                + " LEFT JOIN " + schema.qualified("figures(?, " + TTL + ")") + " AS q ON true";
        List<QueueFigures> queues = new ArrayList<>();
        List<MeterFigures> rows = sql.query(
                query,
                statement -> {
                    statement.setLong(1, ttl.toMillis());
                    statement.setLong(2, ttl.toMillis());
                    statement.setInt(3, max);
                    statement.setLong(4, ttl.toMillis());
                },
                results -> {
                    if (results.getString("queue") != null) {
                        queues.add(readFigures(results));
                    }
                    return new MeterFigures(
                            readDatabase(results),
                            queues,
                            results.getLong("nodes"),
                            results.getLong("types"),
                            readOverdue(results),
                            results.getLong("late"),
                            readLimits(results),
                            RunningFlows.read(results));
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
                    statement.setLong(3, span.toMillis());
                    statement.setLong(4, step.toMillis());
                },
                results ->
                        readThroughput(results, Columns.millis(results, "wait_ms"), Columns.millis(results, "run_ms")));
    }

    /** The same of all queues, minute by minute, where something ended. */
    public Map<String, List<Throughput>> throughputByQueue(Duration span) {
        Map<String, List<Throughput>> queues = new LinkedHashMap<>();
        sql.query(
                sql.call("throughput_by_queue(" + TTL + ")"),
                statement -> statement.setLong(1, span.toMillis()),
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

    private static QueueFigures readFigures(ResultSet results) throws SQLException {
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
                results.getLong("waiting"));
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

    private static Map<String, Duration> readOverdue(ResultSet results) throws SQLException {
        java.sql.Array names = results.getArray("names");
        Map<String, Duration> overdue = new LinkedHashMap<>();
        if (names != null) {
            Long[] millis = (Long[]) results.getArray("overdue").getArray();
            for (String name : (String[]) names.getArray()) {
                overdue.put(name, Duration.ofMillis(millis[overdue.size()]));
            }
        }
        return overdue;
    }

    private static List<LimitCounts> readLimits(ResultSet results) throws SQLException {
        java.sql.Array names = results.getArray("limits");
        List<LimitCounts> limits = new ArrayList<>();
        if (names != null) {
            Long[] held = (Long[]) results.getArray("held").getArray();
            Long[] waiting = (Long[]) results.getArray("lined_up").getArray();
            Long[] blocked = (Long[]) results.getArray("blocked").getArray();
            for (String name : (String[]) names.getArray()) {
                int i = limits.size();
                limits.add(new LimitCounts(name, held[i], waiting[i], blocked[i]));
            }
        }
        return limits;
    }
}
