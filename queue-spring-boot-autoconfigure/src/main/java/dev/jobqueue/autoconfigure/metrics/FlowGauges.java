package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.internal.operate.MeterFigures.RunningFlows;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** How many batches and flows have not finished: of the names that have most, as many as have a meter. */
final class FlowGauges {

    private final MultiGauge running;

    FlowGauges(MeterRegistry registry) {
        this.running = MultiGauge.builder("queue.flows.running")
                .description("Batches and flows that have not finished")
                .register(registry);
    }

    void show(List<RunningFlows> flows) {
        List<Row<?>> rows = flows.stream()
                .sorted(Comparator.comparing(RunningFlows::count).reversed())
                .limit(FlowMeters.MOST_NAMES)
                .map(each -> Row.of(
                        Tags.of("kind", each.kind().name().toLowerCase(Locale.ROOT), "name", each.name()),
                        each.count()))
                .collect(Collectors.toList());
        running.register(rows, true);
    }
}
