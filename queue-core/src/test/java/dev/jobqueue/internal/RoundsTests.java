package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RoundsTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Whoever looks at the health of the node must not learn it only when the thread counts as stuck. */
    @Test
    void tellAtOnceThatARoundIsNotAnswered() throws InterruptedException {
        CountDownLatch locked = new CountDownLatch(1);
        Rounds rounds = new Rounds("queue-rounds", "Making rounds", () -> {
            awaitUninterrupted(locked);
            return Duration.ofHours(1);
        });
        rounds.start();
        try {
            await().atMost(LIMIT).until(() -> rounds.outage().report().isPresent());
            assertThat(rounds.outage().report().orElseThrow())
                    .hasToString("Making rounds: the database has not answered this node for 0 s (no answer yet)");
            assertThat(rounds.outage().isOn()).as("it may still answer").isFalse();
            locked.countDown();
            await().atMost(LIMIT).until(() -> rounds.outage().report().isEmpty());
        } finally {
            locked.countDown();
            rounds.close();
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
