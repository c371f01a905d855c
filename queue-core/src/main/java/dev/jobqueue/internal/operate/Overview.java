package dev.jobqueue.internal.operate;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.operate.Observations.DatabaseFigures;
import dev.jobqueue.internal.operate.Observations.QueueFigures;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the meters show.
 *
 * @param unhandledTypes how many types wait that no live node handles
 * @param overdue for how long each schedule of code and configuration has been waiting for a run that was due
 * @param overdueSchedules how many schedules of any origin have been waiting for more than a minute
 */
public record Overview(
        DatabaseFigures database,
        List<QueueFigures> queues,
        long liveNodes,
        long unhandledTypes,
        Map<String, Duration> overdue,
        long overdueSchedules) {

    private static final String TTL = "? * interval '1 millisecond'";

    /** One statement, with a row for each queue or one without, because this is asked all the time. */
    static Overview read(Sql sql, int max, Duration ttl) {
        Schema schema = sql.schema();
        String query = "SELECT d.*, s.*, q.*,"
                + " (SELECT count(*) FROM " + schema.qualified("nodes(" + TTL + ")")
                + " AS n WHERE n.is_live) AS nodes,"
                + " (SELECT count(DISTINCT u.type) FROM " + schema.qualified("unhandled(" + TTL + ")")
                + " AS u) AS types,"
                + " (SELECT " + schema.qualified("count_overdue_schedules()") + ") AS late"
                + " FROM " + schema.qualified("database_figures()") + " AS d CROSS JOIN"
                + " (SELECT array_agg(o.name) AS names, array_agg(o.overdue_ms) AS overdue FROM "
                + schema.qualified("overdue_schedules()") + " AS o) AS s"
                + " LEFT JOIN " + schema.qualified("figures(?, " + TTL + ")") + " AS q ON true";
        List<QueueFigures> queues = new ArrayList<>();
        List<Overview> rows = sql.query(
                query,
                statement -> {
                    statement.setLong(1, ttl.toMillis());
                    statement.setLong(2, ttl.toMillis());
                    statement.setInt(3, max);
                    statement.setLong(4, ttl.toMillis());
                },
                results -> {
                    if (results.getString("queue") != null) {
                        queues.add(Observations.readFigures(results));
                    }
                    return new Overview(
                            Observations.readDatabase(results),
                            queues,
                            results.getLong("nodes"),
                            results.getLong("types"),
                            overdue(results),
                            results.getLong("late"));
                });
        return rows.get(0);
    }

    private static Map<String, Duration> overdue(ResultSet results) throws SQLException {
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
}
