package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys may be without number: one for each customer, say, of whom most never come back. */
class MarksIntegrationTests {

    private static final LimitedQueue limited = new LimitedQueue();

    @BeforeEach
    void reset() {
        limited.queue.reset();
    }

    @Test
    void goWhenTheyAreOver() {
        limited.limit("'mails', rate => 1, period => '1 hour'");
        limited.use("mail", "{mails}", "{customer}");
        for (int customer = 0; customer < 20; customer++) {
            limited.publish(2, "mail", "{\"customer\": %d}".formatted(customer));
        }
        assertThat(limited.claim(100)).hasSize(20);
        limited.completeRunning();
        limited.queue.upkeep.prune(10_000);
        assertThat(limited.claim(100)).as("the hour is not over").isEmpty();
        assertThat(marks()).isEqualTo(20);

        limited.letGatesOpen();
        assertThat(limited.claim(100)).hasSize(20);
        limited.completeRunning();
        limited.letGatesOpen();
        limited.queue.upkeep.prune(10_000);
        assertThat(marks()).isZero();
    }

    private static long marks() {
        return limited.queue.one(Long.class, "SELECT count(DISTINCT gate) FROM queue.mark");
    }
}
