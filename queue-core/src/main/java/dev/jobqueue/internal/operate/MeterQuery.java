package dev.jobqueue.internal.operate;

import static dev.jobqueue.internal.operate.FigureReader.TTL;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.operate.MeterFigures.LimitCounts;
import dev.jobqueue.internal.operate.MeterFigures.RunningFlows;
import dev.jobqueue.operate.FlowKind;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The one statement behind the meters: all figures, with a row for each queue, and lists as arrays in each row. */
final class MeterQuery {

    private MeterQuery() {}

    static String text(Schema schema) {
        return "SELECT d.*, s.*, l.*, q.*,"
                + " (SELECT count(*) FROM " + schema.qualified("nodes(" + TTL + ")")
                + " AS n WHERE n.is_live) AS nodes,"
                + " (SELECT count(DISTINCT u.type) FROM " + schema.qualified("unhandled(" + TTL + ")")
                + " AS u) AS types,"
                + " (SELECT " + schema.qualified("count_overdue_schedules()") + ") AS late,"
                + " r.flow_kinds, r.flow_names, r.flow_counts"
                + " FROM " + schema.qualified("database_figures()") + " AS d CROSS JOIN"
                + " (SELECT array_agg(o.name) AS names, array_agg(o.overdue_ms) AS overdue FROM "
                + schema.qualified("overdue_schedules()") + " AS o) AS s CROSS JOIN"
                + " (SELECT array_agg(f.kind) AS flow_kinds, array_agg(f.name) AS flow_names,"
                + " array_agg(f.running) AS flow_counts FROM " + schema.qualified("flow_figures()") + " AS f) AS r"
                + " CROSS JOIN (SELECT array_agg(f.name) AS limits, array_agg(f.held) AS held,"
                + " array_agg(f.waiting) AS lined_up, array_agg(f.blocked) AS blocked FROM "
                + schema.qualified("find_limits()") + " AS f) AS l"
                + " LEFT JOIN " + schema.qualified("figures(?, " + TTL + ")") + " AS q ON true";
    }

    static List<RunningFlows> running(ResultSet results) throws SQLException {
        List<RunningFlows> running = new ArrayList<>();
        if (results.getArray("flow_kinds") != null) {
            String[] kinds = (String[]) results.getArray("flow_kinds").getArray();
            String[] names = (String[]) results.getArray("flow_names").getArray();
            Long[] counts = (Long[]) results.getArray("flow_counts").getArray();
            for (int i = 0; i < kinds.length; i++) {
                running.add(new RunningFlows(FlowKind.valueOf(kinds[i]), names[i], counts[i]));
            }
        }
        return running;
    }

    static Map<String, Duration> overdue(ResultSet results) throws SQLException {
        Array names = results.getArray("names");
        Map<String, Duration> late = new LinkedHashMap<>();
        if (names != null) {
            Long[] millis = (Long[]) results.getArray("overdue").getArray();
            for (String name : (String[]) names.getArray()) {
                late.put(name, Duration.ofMillis(millis[late.size()]));
            }
        }
        return late;
    }

    static List<LimitCounts> limits(ResultSet results) throws SQLException {
        Array names = results.getArray("limits");
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
