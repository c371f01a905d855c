package dev.jobqueue.autoconfigure.health;

import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Brokers that take no messages: nothing is lost, but somebody waits for what they should have. */
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
            ForwardStatus.Pause pause = broker.pause();
            if (pause == null) {
                known.put(broker.broker(), Map.of("sending", true));
                continue;
            }
            Duration lasts = Duration.between(pause.since(), Instant.now());
            assessment.problem(
                    lasts.compareTo(critical) >= 0 ? Level.CRITICAL : Level.WARNING,
                    "%s has taken no messages since %s (%s): those in the queue '%s' wait"
                            .formatted(broker.broker(), pause.since(), pause.reason(), broker.queue()));
            known.put(
                    broker.broker(),
                    Map.of("sending", false, "since", pause.since(), "reason", pause.reason(), "held", broker.held()));
        }
        if (!known.isEmpty()) {
            assessment.detail("brokers", known);
        }
    }
}
