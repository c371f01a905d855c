package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpansTests {

    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    @Test
    void acceptNothingAndTenYears() {
        assertThat(Spans.require("delay", Duration.ZERO)).isZero();
        assertThat(Spans.require("delay", Spans.LONGEST)).isEqualTo(Spans.LONGEST);
    }

    @Test
    void refuseNullByName() {
        assertThatThrownBy(() -> Spans.require("delay", null)).hasMessage("delay");
    }

    @Test
    void refuseLessThanNothingAndMoreThanTenYearsByNameAndValue() {
        assertThatThrownBy(() -> Spans.require("delay", Duration.ofMillis(-1)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("delay is 'PT-0.001S': must be at least 0 and at most 10 years");
        assertThatThrownBy(() -> Spans.require("delay", FOREVER)).isInstanceOf(InvalidJobException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "PT20S,20s",
        "PT0.1S,100ms",
        "PT90S,90s",
        "PT1H,1h",
        "P7D,7d",
        "PT0S,0s",
        "PT-1S,PT-1S",
        "PT0.0001S,PT0.0001S"
    })
    void areToldAsPeopleWriteThem(Duration span, String text) {
        assertThat(Spans.text(span)).isEqualTo(text);
    }

    @Test
    void areCountedWithTheirNoun() {
        assertThat(Counts.of(0, "job")).isEqualTo("0 jobs");
        assertThat(Counts.of(1, "job")).isEqualTo("1 job");
        assertThat(Counts.of(2, "job")).isEqualTo("2 jobs");
    }

    @Test
    void becomeMillisecondsWithoutOverflow() {
        assertThat(Spans.toMillis(Duration.ofMillis(1_500))).isEqualTo(1_500);
        assertThat(Spans.toMillis(FOREVER))
                .isEqualTo(-Spans.toMillis(FOREVER.negated()))
                .isPositive();
    }
}
