package dev.jobqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.autoconfigure.QueueProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StuckPlacesTests {

    private static final QueueProperties.Forward PROPERTIES = new QueueProperties.Forward(
            new QueueProperties.Broker(true),
            new QueueProperties.Broker(true),
            Duration.ofSeconds(20),
            Duration.ofNanos(1),
            Duration.ofDays(1),
            false,
            null,
            List.of(),
            null);

    /** After 40 pauses, each twice as long, it would be 18 minutes. */
    @Test
    void oneThatNobodyUsesAnyMoreMakesNoOtherWaitForLonger() {
        ForwardStatus status = new ForwardStatus("Kafka", "forward.kafka", Duration.ZERO);
        StuckPlaces places = new StuckPlaces(status, PROPERTIES);
        for (int i = 0; i < 40; i++) {
            places.found(Map.of("stuck", "no leader"));
            places.working(Set.of("other"));
            assertThat(places.pauseOf("stuck")).isLessThan(Duration.ofSeconds(1));
            while (!places.pauseOf("stuck").isZero()) {
                Thread.onSpinWait();
            }
        }
    }
}
