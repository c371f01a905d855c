package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What this node sent to brokers, and for how long one has taken nothing. */
final class ForwardMeters {

    ForwardMeters(MeterRegistry registry, List<ForwardStatus> brokers) {
        for (ForwardStatus broker : brokers) {
            FunctionCounter.builder("queue.forward.sent", broker, ForwardStatus::sent)
                    .description("Messages that the broker acknowledged")
                    .tag("broker", broker.broker())
                    .register(registry);
            FunctionCounter.builder("queue.forward.refused", broker, ForwardStatus::refused)
                    .description("Messages that the broker did not take")
                    .tag("broker", broker.broker())
                    .register(registry);
            Gauge.builder("queue.forward.held", broker, ForwardStatus::held)
                    .description("Messages in hand until the broker is back")
                    .tag("broker", broker.broker())
                    .register(registry);
            TimeGauge.builder("queue.forward.outage", broker, TimeUnit.MILLISECONDS, ForwardMeters::outageMillis)
                    .description("How long the broker has taken no messages")
                    .tag("broker", broker.broker())
                    .register(registry);
        }
    }

    private static double outageMillis(ForwardStatus broker) {
        ForwardStatus.Outage outage = broker.outage();
        return outage == null
                ? 0
                : Duration.between(outage.since(), Instant.now()).toMillis();
    }
}
