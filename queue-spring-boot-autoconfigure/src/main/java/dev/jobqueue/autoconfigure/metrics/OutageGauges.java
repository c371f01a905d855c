package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.node.NodeStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** For how long the database has failed this node, by task; 0 while it does not. */
final class OutageGauges {

    OutageGauges(MeterRegistry registry, Supplier<NodeStatus> node) {
        for (String task : NodeStatus.TASKS) {
            TimeGauge.builder("queue.outage", () -> millis(node, task), TimeUnit.MILLISECONDS)
                    .description("How long the database has failed this node, or left it without an answer")
                    .tag("task", task)
                    .register(registry);
        }
    }

    private static long millis(Supplier<NodeStatus> node, String task) {
        Outage.Report report = node.get().outages().get(task);
        return report == null ? 0 : report.lasts().toMillis();
    }
}
