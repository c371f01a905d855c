package dev.jobqueue.autoconfigure.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * For how long schedules have been waiting for a run that was due. Those of code and configuration have a gauge each;
 * those made at run time may be thousands, and are only counted. A schedule that is gone takes its gauge with it.
 */
final class ScheduleGauges {

    private final MultiGauge overdue;
    private volatile long count;

    ScheduleGauges(MeterRegistry registry) {
        this.overdue = MultiGauge.builder("queue.schedule.overdue")
                .description("How long a run of the schedule has been due")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("queue.schedules.overdue", () -> count)
                .description("Schedules with a run that has been due for more than a minute")
                .register(registry);
    }

    void show(Map<String, Duration> byName, long inAll) {
        count = inAll;
        List<Row<?>> rows = new ArrayList<>();
        byName.forEach((name, since) -> rows.add(Row.of(Tags.of("schedule", name), since.toMillis() / 1_000.0)));
        overdue.register(rows, true);
    }
}
