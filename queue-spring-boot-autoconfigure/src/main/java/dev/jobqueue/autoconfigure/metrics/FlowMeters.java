package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Counts and times batches and flows that finish. */
final class FlowMeters {

    /** How many names have meters of their own; others share one, because names may be made at run time. */
    static final int MOST_NAMES = 100;

    private static final String OTHERS = "others";

    private final MeterRegistry registry;
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    FlowMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    void finished(FlowKind kind, String name, FlowState state, Duration took) {
        boolean known = names.contains(name) || (names.size() < MOST_NAMES && names.add(name));
        Timer.builder("queue.flows.finished")
                .description("Batches and flows that finished, and how long they took")
                .tags("kind", lower(kind), "name", known ? name : OTHERS, "state", lower(state))
                .register(registry)
                .record(took);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
