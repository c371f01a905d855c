package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.internal.operate.Observations;
import dev.jobqueue.internal.operate.Observations.DatabaseFigures;
import dev.jobqueue.internal.operate.Observations.QueueFigures;
import dev.jobqueue.internal.operate.Overview;
import java.time.Duration;
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
        Duration transactionAge,
        long deadTuples,
        double notificationUsage) {

    static final Figures NONE = new Figures(System.nanoTime(), Map.of(), 0, 0, Map.of(), 0, Duration.ZERO, 0, 0);

    static Figures read(Observations observations, int countLimit, Duration ttl) {
        Overview overview = observations.overview(countLimit, ttl);
        DatabaseFigures database = overview.database();
        Duration transaction = database.oldestTransaction();
        return new Figures(
                System.nanoTime(),
                overview.queues().stream().collect(Collectors.toMap(QueueFigures::queue, Function.identity())),
                overview.liveNodes(),
                overview.unhandledTypes(),
                overview.overdue(),
                overview.overdueSchedules(),
                transaction == null ? Duration.ZERO : transaction,
                database.deadTuples(),
                database.notificationUsage());
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
