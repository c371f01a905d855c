package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.internal.operate.MeterFigures.LimitCounts;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * How limits are used, by their names. Keys have no gauges: there may be any number of them. A limit that is gone takes
 * its gauges with it.
 */
final class LimitGauges {

    private final MultiGauge running;
    private final MultiGauge waiting;
    private final MultiGauge blocked;

    LimitGauges(MeterRegistry registry) {
        this.running = gauge(registry, "queue.limit.running", "Jobs that the limit has let start and counts still");
        this.waiting = gauge(registry, "queue.limit.waiting", "Jobs that wait and have the limit");
        this.blocked = gauge(registry, "queue.limit.blocked", "FIFO lanes that stand behind a dead letter");
    }

    private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    void show(List<LimitCounts> limits) {
        show(running, limits, LimitCounts::held);
        show(waiting, limits, LimitCounts::waiting);
        show(blocked, limits, LimitCounts::blocked);
    }

    private static void show(MultiGauge gauge, List<LimitCounts> limits, ToLongFunction<LimitCounts> figure) {
        List<Row<?>> rows = new ArrayList<>();
        limits.forEach(each -> rows.add(Row.of(Tags.of("limit", each.name()), figure.applyAsLong(each))));
        gauge.register(rows, true);
    }
}
