package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class SpansTests {

    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    @Test
    void acceptNothingAndTenYears() {
        assertThat(Spans.require("delay", Duration.ZERO)).isZero();
        assertThat(Spans.require("delay", Spans.LONGEST)).isEqualTo(Spans.LONGEST);
    }

    @Test
    void refuseLessThanNothingAndMoreThanTenYearsByNameAndValue() {
        assertThatThrownBy(() -> Spans.require("delay", Duration.ofMillis(-1)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("delay is 'PT-0.001S': must be at least 0 and at most 10 years");
        assertThatThrownBy(() -> Spans.require("delay", FOREVER)).isInstanceOf(InvalidJobException.class);
    }

    @Test
    void becomeMillisecondsWithoutOverflow() {
        assertThat(Spans.toMillis(Duration.ofMillis(1_500))).isEqualTo(1_500);
        assertThat(Spans.toMillis(FOREVER))
                .isEqualTo(-Spans.toMillis(FOREVER.negated()))
                .isPositive();
    }
}
