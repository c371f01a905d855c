package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.node.NodeOutages;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.concurrent.TimeUnit;

/** For how long the database has failed this node, by task; 0 while it does not. */
final class OutageGauges {

    OutageGauges(MeterRegistry registry, NodeOutages outages) {
        for (String task : NodeOutages.TASKS) {
            TimeGauge.builder("queue.outage", () -> millis(outages, task), TimeUnit.MILLISECONDS)
                    .description("How long the database has failed this node, or left it without an answer")
                    .tag("task", task)
                    .register(registry);
        }
    }

    private static long millis(NodeOutages outages, String task) {
        Outage.Report report = outages.reports().get(task);
        return report == null ? 0 : report.lasts().toMillis();
    }
}
