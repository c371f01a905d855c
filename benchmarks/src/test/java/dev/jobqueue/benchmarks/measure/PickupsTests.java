package dev.jobqueue.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PickupsTests {

    @Test
    void countsFromTheReturnOfTheCallToTheHandler() throws InterruptedException {
        Sink sink = Sink.expect(3);
        long[] returned = new long[2];
        for (int id = 1; id < 3; id++) {
            returned[id - 1] = System.nanoTime() - 5_000_000;
            Sink.handle(id, "text");
        }
        Pickups pickups = Pickups.of(sink, 1, returned);
        assertThat(pickups.p50()).isBetween(5.0, 5_000.0);
        assertThat(pickups.p99()).isGreaterThanOrEqualTo(pickups.p50()).isFinite();
    }

    @Test
    void takesAJobThatBeganBeforeTheCallReturnedAsNotWaiting() throws InterruptedException {
        Sink sink = Sink.expect(1);
        Sink.handle(0, "text");
        assertThat(Pickups.of(sink, 0, new long[] {System.nanoTime() + 1_000_000})
                        .p99())
                .isZero();
    }

    @Test
    void takesAJobThatWasNeverHandledAsWaitingForever() {
        long[] returned = new long[100];
        Arrays.fill(returned, System.nanoTime());
        assertThat(Pickups.of(Sink.expect(100), 0, returned).p50()).isInfinite();
    }
}
