package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.internal.operate.DatabaseFigures;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.internal.operate.MeterFigures;
import dev.jobqueue.internal.operate.MeterFigures.LimitCounts;
import dev.jobqueue.internal.operate.MeterFigures.RunningFlows;
import dev.jobqueue.operate.QueueFigures;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** What the database held at one moment. */
record Figures(
        long readAt,
        Map<String, QueueFigures> queues,
        long nodes,
        long unhandled,
        Map<String, Duration> overdue,
        long overdueSchedules,
        List<RunningFlows> runningFlows,
        Duration transactionAge,
        long deadTuples,
        double notificationUsage,
        List<LimitCounts> limits) {

    static final Figures NONE =
            new Figures(System.nanoTime(), Map.of(), 0, 0, Map.of(), 0, List.of(), Duration.ZERO, 0, 0, List.of());

    static Figures read(FigureReader reader, int countLimit, Duration ttl) {
        MeterFigures meters = reader.meters(countLimit, ttl);
        DatabaseFigures database = meters.database();
        Duration transaction = database.oldestTransaction();
        return new Figures(
                System.nanoTime(),
                meters.queues().stream().collect(Collectors.toMap(QueueFigures::queue, Function.identity())),
                meters.liveNodes(),
                meters.unhandledTypes(),
                meters.overdue(),
                meters.overdueSchedules(),
                meters.runningFlows(),
                transaction == null ? Duration.ZERO : transaction,
                database.deadTuples(),
                database.notificationUsage(),
                meters.limits());
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - readAt);
    }

    /** The figure of a queue; 0 for one that has gone. */
    double of(String queue, ToDoubleFunction<QueueFigures> figure) {
        QueueFigures found = queues.get(queue);
        return found == null ? 0 : figure.applyAsDouble(found);
    }
}
