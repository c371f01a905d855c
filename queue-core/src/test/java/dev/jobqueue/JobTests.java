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
