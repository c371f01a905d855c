package dev.jobqueue.internal.operate;

import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.QueueFigures;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the meters show.
 *
 * @param unhandledTypes how many types wait that no live node handles
 * @param overdue for how long each schedule of code and configuration has been waiting for a run that was due
 * @param overdueSchedules how many schedules of any origin have been waiting for more than a minute
 * @param limits how limits are used
 * @param runningFlows how many batches and flows have not finished, by name
 */
public record MeterFigures(
        DatabaseFigures database,
        List<QueueFigures> queues,
        long liveNodes,
        long unhandledTypes,
        Map<String, Duration> overdue,
        long overdueSchedules,
        List<LimitCounts> limits,
        List<RunningFlows> runningFlows) {

    /** How many batches or flows of one name have not finished. */
    public record RunningFlows(FlowKind kind, String name, long count) {

        /** Reads them from three arrays, which are null if there are none. */
        static List<RunningFlows> read(ResultSet results) throws SQLException {
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
    }
}
