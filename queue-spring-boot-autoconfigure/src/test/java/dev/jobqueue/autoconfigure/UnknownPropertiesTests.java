package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queue.enabled",
                "queue.worker.queues[0]",
                "queue.worker.pollInterval",
                "queue.queues.mail.slots",
                "queue.queues.mail.health.oldest-warning",
                "queue.retry[invoice.send].max-attempts",
                "queue.schedules.nightly.payload.anything.goes",
                "queues.name"
            })
    void areNoneOfOurs(String name, CapturedOutput output) {
        assertThatNoException().isThrownBy(() -> check(name));
        assertThat(output).doesNotContain("does not read");
    }

    @ParameterizedTest
    @CsvSource({
        "queue.worker.slot,queue.worker.slots",
        "queue.worker.pol-interval,queue.worker.poll-interval",
        "queue.queues.mail.retenton,queue.queues.mail.retention",
        "queue.queues.mail.health.oldestwarn,queue.queues.mail.health.oldest-warning",
        "queue.retry[invoice.send].maxattempt,queue.retry[invoice.send].max-attempts"
    })
    void failTheStartInAGroupOfOurs(String name, String meant) {
        assertThatExceptionOfType(InvalidQueueConfigurationException.class)
                .isThrownBy(() -> check(name))
                .withMessage("The property '%s' is not known.", name)
                .satisfies(ex -> assertThat(ex.action()).startsWith("Did you mean '%s'?".formatted(meant)));
    }

    @Test
    void tellOfBracketsWhereANameHasDots() {
        assertThatExceptionOfType(InvalidQueueConfigurationException.class)
                .isThrownBy(() -> check("queue.retry.payment.collect.max-attempts"))
                .satisfies(ex -> assertThat(ex.action())
                        .contains("write it in brackets: queue.retry[payment.collect].max-attempts."));
    }

    @Test
    void areOnlyToldOfDirectlyBelowThePrefix(CapturedOutput output) {
        check("queue.name");

        assertThat(output).contains("does not read these properties").contains("[queue.name]");
    }

    private static void check(String name) {
        UnknownProperties.check(new MockEnvironment().withProperty(name, "x"));
    }
}
