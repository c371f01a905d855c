package dev.jobqueue.internal.operate;

import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.QueueFigures;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What the meters show.
 *
 * @param unhandledTypes how many types wait that no live node handles
 * @param overdue for how long each schedule of code and configuration has been waiting for a run that was due
 * @param overdueSchedules how many schedules of any origin have been waiting for more than a minute
 * @param runningFlows how many batches and flows have not finished, by name
 * @param limits how limits are used
 */
public record MeterFigures(
        DatabaseFigures database,
        List<QueueFigures> queues,
        long liveNodes,
        long unhandledTypes,
        Map<String, Duration> overdue,
        long overdueSchedules,
        List<RunningFlows> runningFlows,
        List<LimitCounts> limits) {

    /** How many batches or flows of one name have not finished. */
    public record RunningFlows(FlowKind kind, String name, long count) {}

    /**
     * How a limit is used, over all keys.
     *
     * @param held how many jobs it has let start and counts still
     * @param waiting how many jobs wait that have it
     * @param blocked how many FIFO lanes stand behind a dead letter
     */
    public record LimitCounts(String name, long held, long waiting, long blocked) {}
}
