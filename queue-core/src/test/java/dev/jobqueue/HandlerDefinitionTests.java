package dev.jobqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class HandlerDefinitionTests {

    @Test
    void keepsHowManyJobsItTakesAtOnce() {
        HandlerDefinition handler = batch(7).queue("news").aliases("old");
        assertThat(handler.most()).isEqualTo(7);
        assertThat(handler.bundleFunction()).isNotNull();
    }

    @Test
    void takesOneJobUnlessItSaysOtherwise() {
        HandlerDefinition handler = HandlerDefinition.of("note", String.class, (text, job) -> text);
        assertThat(handler.most()).isEqualTo(1);
        assertThat(handler.bundleFunction()).isNull();
        assertThat(handler.transactional(true).transactional()).isTrue();
    }

    @Test
    void takesFromOneToAThousandJobsAtOnce() {
        assertThat(batch(1).most()).isEqualTo(1);
        assertThat(batch(1_000).most()).isEqualTo(1_000);
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> batch(0))
                .withMessage("most is '0': must be from 1 to 1000");
        assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> batch(1_001));
    }

    @Test
    void refusesATransactionForManyJobs() {
        assertThat(batch(1).transactional(false).transactional()).isFalse();
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> batch(1).transactional(true))
                .withMessage(
                        "The handler of 'note' takes many jobs at once and cannot be transactional: each of them is"
                                + " completed on its own. Use a transaction in the handler.");
    }

    private static HandlerDefinition batch(int most) {
        return HandlerDefinition.ofBundle("note", String.class, jobs -> {}, most);
    }
}
