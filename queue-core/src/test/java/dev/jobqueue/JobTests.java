package dev.jobqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobTests {

    private final Job job = Job.of("mail", null);

    @ParameterizedTest
    @ValueSource(strings = {"PT-0.001S", "PT87600H0.001S", "PT2562047788015215H30M7.999999999S"})
    void refusesADelayThatIsNotFromZeroToTenYears(Duration delay) {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.delay(delay))
                .withMessageContaining("delay is '" + delay + "'")
                .withMessageContaining("at least 0 and at most 10 years");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-1S", "PT0S", "PT0.0009S", "PT87600H0.001S", "PT2562047788015215H30M7.999999999S"})
    void refusesATimeoutThatIsNotAboveZeroAndUpToTenYears(Duration timeout) {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.timeout(timeout))
                .withMessageContaining("timeout is '" + timeout + "'")
                .withMessageContaining("at least 1 ms and at most 10 years");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0001-01-01T00:00:00Z", "+10000-01-01T00:00:00Z"})
    void refusesATimeThatTheDatabaseCannotRead(Instant runAt) {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.runAt(runAt))
                .withMessageContaining("run_at is '" + runAt + "'")
                .withMessageContaining("from the year 1 to 9999");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-1S", "PT0S", "PT0.0009S", "PT87600H0.001S"})
    void refusesAWindowThatIsNotAboveZeroAndUpToTenYears(Duration window) {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.uniqueFor(window))
                .withMessageContaining("unique_for is '" + window + "'")
                .withMessageContaining("at least 1 ms and at most 10 years");
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.debounce("key", Duration.ZERO, window))
                .withMessageContaining("max_delay is '" + window + "'");
    }

    @Test
    void refusesAMaximumBelowTheDelay() {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.debounceFirst("key", Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .withMessage("max_delay is 'PT1S': must not be less than the delay, 'PT2S'");
    }

    @Test
    void saysWithAWordWhatDebounceMeans() {
        Job debounced = job.debounce("key", Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(debounced.uniqueKey()).isEqualTo("key");
        assertThat(debounced.delay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(debounced.maxDelay()).isEqualTo(Duration.ofSeconds(2));
        assertThat(debounced.onConflict()).isEqualTo(OnConflict.REPLACE);
        assertThat(job.debounceFirst("key", Duration.ZERO, Duration.ofSeconds(2))
                        .onConflict())
                .isEqualTo(OnConflict.POSTPONE);
        assertThat(job.onConflict()).isEqualTo(OnConflict.KEEP);
        assertThat(job.maxDelay()).isNull();
        assertThat(debounced.priority(3).maxDelay()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void takesWhatIsJustAllowed() {
        Duration longest = ChronoUnit.DAYS.getDuration().multipliedBy(3650);
        assertThat(job.delay(Duration.ZERO).delay(longest).delay()).isEqualTo(longest);
        assertThat(job.timeout(Duration.ofMillis(1)).timeout(longest).timeout()).isEqualTo(longest);
        assertThat(job.runAt(Instant.EPOCH).runAt()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void isNotTheOnlyOneToRefuseAbsurdSpans() {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> HandlerDefinition.of("mail", String.class, (payload, context) -> null)
                        .timeout(forever));
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> new RetryPolicy(3, forever, 2, forever, 0.1));
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> new RetryPolicy(3, Duration.ZERO, 2, forever, 0.1));
    }
}
