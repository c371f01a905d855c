package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Forward;
import dev.jobqueue.HandlerLimit;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.Spans;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Ranges that Java and SQL functions both check: the highest value is the same. */
class RangesIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeAll
    static void limit() {
        queue.call("set_limit('crm', running => 1)");
    }

    /** The highest number that is not refused. */
    private static long highest(LongConsumer check) {
        long accepted = 1;
        long refused = 1L << 40;
        assertThat(isAccepted(check, accepted)).isTrue();
        while (refused - accepted > 1) {
            long middle = (accepted + refused) / 2;
            if (isAccepted(check, middle)) {
                accepted = middle;
            } else {
                refused = middle;
            }
        }
        return accepted;
    }

    private static boolean isAccepted(LongConsumer check, long value) {
        try {
            check.accept(value);
            return true;
        } catch (InvalidJobException ex) {
            return false;
        }
    }

    private static void isHighestInSql(long highest, String call) {
        queue.call(call.formatted(highest));
        queue.refuses(InvalidJobException.class, () -> queue.call(call.formatted(highest + 1)));
    }

    private static String name(long length) {
        return "x".repeat((int) Math.min(length, 10_000));
    }

    @Test
    void areTheSameForSpansOfTime() {
        long millis = highest(value -> Job.of("mail", null).delay(Duration.ofMillis(value)));

        assertThat(millis).isEqualTo(Spans.LONGEST.toMillis());
        assertThat(millis).isEqualTo(highest(value -> Job.of("mail", null).timeout(Duration.ofMillis(value))));
        assertThat(millis).isEqualTo(highest(value -> Spans.require("delay", Duration.ofMillis(value))));
        isHighestInSql(millis, "publish('mail', '{}', timeout => interval '%d ms')");
        isHighestInSql(millis, "set_retry_policy('mail', timeout => interval '%d ms')");
        isHighestInSql(millis, "set_schedule('often', 'mail', every => interval '%d ms')");
        isHighestInSql(millis, "set_schedule('often', 'mail', every => '1 hour', timeout => interval '%d ms')");
    }

    @Test
    void areTheSameForRetries() {
        isHighestInSql(
                highest(value -> new RetryPolicy(3, Duration.ofSeconds(1), value, Duration.ofHours(1), 0.1)),
                "set_retry_policy('mail', factor => %d)");
        isHighestInSql(
                highest(value -> new RetryPolicy(3, Duration.ofSeconds(1), 2, Duration.ofHours(1), value)),
                "set_retry_policy('mail', jitter => %d)");
        isHighestInSql(
                highest(value -> new RetryPolicy(3, Duration.ZERO, 2, Duration.ofMillis(value), 0.1)),
                "set_retry_policy('mail', maximum => interval '%d ms')");
    }

    @Test
    void areTheSameForAFifoLimitThatTakesSeveral() {
        isHighestInSql(
                highest(value -> LimitDefinition.ofFifo("line").running((int) Math.min(value, Integer.MAX_VALUE))),
                "set_limit('line', kind => 'FIFO', running => %d)");
    }

    @Test
    void areTheSameForWeights() {
        isHighestInSql(
                highest(value -> LimitDefinition.ofFairShare("fair").weight("a", (int) Math.min(value, 1 << 30))),
                "set_limit('fair', kind => 'FAIR', weights => '{\"a\": %d}')");
    }

    @Test
    void areTheSameForTheKeyOfALimit() {
        isHighestInSql(
                highest(value -> new HandlerLimit(LimitDefinition.ofRunning("crm", 1), name(value))),
                "use_limits('mail', NULL, ARRAY['crm'], ARRAY[repeat('x', %d)])");
    }

    @Test
    void areTheSameForLanes() {
        String lane =
                Forward.rabbit("orders").ordered(name(10_000)).empty().limits().get(Forward.RABBIT);
        isHighestInSql(lane.length(), "publish('mail', '{}', limits => jsonb_build_object('crm', repeat('x', %d)))");
    }
}
