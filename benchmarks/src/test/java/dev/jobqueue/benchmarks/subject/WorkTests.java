package dev.jobqueue.benchmarks.subject;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkTests {

    @ParameterizedTest
    @ValueSource(ints = {100, 1_000, 8_000})
    void hasAboutAsManyBytesAsAskedFor(int bytes) {
        assertThat(Work.of(123_456, Work.subject(bytes)).json()).hasSizeBetween(bytes - 10, bytes + 20);
    }
}
