package dev.jobqueue.autoconfigure.health;

import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Brokers that take no messages: nothing is lost, but consumers wait. */
final class BrokerHealth {

    private final List<ForwardStatus> brokers;
    private final Duration critical;

    /**
     * @param critical after how long it is critical
     */
    BrokerHealth(List<ForwardStatus> brokers, Duration critical) {
        this.brokers = brokers;
        this.critical = critical;
    }

    void tell(Assessment assessment) {
        Map<String, Object> known = new LinkedHashMap<>();
        for (ForwardStatus broker : brokers) {
            ForwardStatus.Outage outage = broker.outage();
            if (outage == null) {
                known.put(broker.broker(), sending(broker, assessment));
                continue;
            }
            Duration lasts = Duration.between(outage.since(), Instant.now());
            assessment.problem(
                    lasts.compareTo(critical) >= 0 ? Level.CRITICAL : Level.WARNING,
                    "%s has taken no messages since %s (%s): those in the queue '%s' wait"
                            .formatted(broker.broker(), outage.since(), outage.reason(), broker.queue()));
            known.put(
                    broker.broker(),
                    Map.of(
                            "sending",
                            false,
                            "since",
                            outage.since(),
                            "reason",
                            outage.reason(),
                            "held",
                            broker.held()));
        }
        if (!known.isEmpty()) {
            assessment.detail("brokers", known);
        }
    }

    private static Map<String, Object> sending(ForwardStatus broker, Assessment assessment) {
        Map<String, ForwardStatus.Outage> stuck = broker.stuck();
        stuck.forEach((place, outage) -> assessment.problem(
                Level.WARNING,
                "%s has taken no messages for '%s' since %s (%s), while it takes others"
                        .formatted(broker.broker(), place, outage.since(), outage.reason())));
        return stuck.isEmpty() ? Map.of("sending", true) : Map.of("sending", true, "stuck", stuck);
    }
}
