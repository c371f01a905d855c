package dev.jobqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UndoneTests {

    private final Undone undone = new Undone();
    private final UUID job = UUID.randomUUID();

    @Test
    void pausesLongerEachTimeUpToAMinute() {
        assertThat(IntStream.range(0, 8)
                        .mapToObj(i -> undone.pause(job).orElseThrow().toSeconds()))
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
    }

    @Test
    void countsAsAFailureAfterTenInARow() {
        IntStream.range(0, 10).forEach(i -> assertThat(undone.pause(job)).isPresent());
        assertThat(undone.pause(job)).isEmpty();
        assertThat(undone.pause(job)).hasValue(Duration.ofSeconds(1));
    }

    @Test
    void beginsAnewForAJobThatWentWell() {
        IntStream.range(0, 10).forEach(i -> undone.pause(job));
        undone.forget(job);
        assertThat(undone.pause(job)).isEqualTo(Optional.of(Duration.ofSeconds(1)));
    }
}
