package dev.jobqueue.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTests {

    private final Pace pace = new Pace();

    @Test
    void isNotQuickBeforeAnythingRan() {
        assertThat(pace.isQuick()).isFalse();
    }

    @Test
    void isQuickAfterSomeHundredQuickRuns() {
        run(Duration.ofNanos(2_000), 100);
        assertThat(pace.isQuick()).isFalse();
        run(Duration.ofNanos(2_000), 400);
        assertThat(pace.isQuick()).isTrue();
    }

    @Test
    void isNeverQuickIfHandlersTakeAsLongAsAStatement() {
        run(Duration.ofNanos(100_000), 10_000);
        assertThat(pace.isQuick()).isFalse();
    }

    @Test
    void isNotQuickAfterOneLongRun() {
        run(Duration.ZERO, 1_000);
        run(Duration.ofMillis(1), 1);
        assertThat(pace.isQuick()).isFalse();
    }

    @Test
    void forgetsALongRunWithinTwoHundredQuickOnes() {
        run(Duration.ZERO, 1_000);
        run(Duration.ofHours(1), 1);
        run(Duration.ofNanos(2_000), 200);
        assertThat(pace.isQuick()).isTrue();
    }

    @Test
    void isNotQuickIfOneRunInFiftyIsLong() {
        for (int i = 0; i < 100; i++) {
            run(Duration.ofNanos(2_000), 49);
            assertThat(pace.isQuick()).isFalse();
            run(Duration.ofMillis(10), 1);
        }
    }

    @Test
    void doesNotChangeItsMindBetweenTheTwoThresholds() {
        run(Duration.ofNanos(12_000), 5_000);
        assertThat(pace.isQuick()).isFalse();
        run(Duration.ZERO, 1_000);
        run(Duration.ofNanos(12_000), 5_000);
        assertThat(pace.isQuick()).isTrue();
    }

    private void run(Duration each, int times) {
        for (int i = 0; i < times; i++) {
            pace.ran(each.toNanos());
        }
    }
}
