package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A limit that no claim can count by would stop the claims of every node. */
class AbsurdLimitsIntegrationTests {

    private static final LimitedQueue limited = new LimitedQueue();

    @BeforeEach
    void reset() {
        limited.queue.reset();
    }

    @AfterEach
    void audit() throws SQLException {
        limited.queue.audit();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rate => 1000001",
                "rate => 2147483647",
                "rate => 3, period => '1 millisecond', burst => 2147483647, running => 1",
                "rate => 1, period => '3650 days', burst => 2",
                "rate => 1, period => '1 day', burst => 2147483647, running => 1",
                "rate => 1000000, period => '1 millisecond'"
            })
    void areRefusedOrCanBeCounted(String arguments) {
        try {
            limited.limit("'odd', " + arguments);
        } catch (InvalidJobException ex) {
            assertThat(ex).hasMessageMatching("(rate|burst) is '\\d+': must .*");
            return;
        }
        limited.use("mail", "{odd}", "{NULL}");
        limited.publish(5, "mail", "{}");
        for (int i = 0; i < 5; i++) {
            limited.claim(2);
            limited.completeRunning();
            limited.letGatesOpen();
        }
        assertThat(limited.queue.list(String.class, "SELECT state FROM queue.live_job"))
                .isEmpty();
    }

    @Test
    void letTheFastestAndTheSlowestBeCounted() {
        limited.limit("'fast', rate => 1000000");
        limited.limit("'slow', rate => 1, period => '3650 days'");
        limited.use("mail", "{fast}", "{NULL}");
        limited.use("letter", "{slow}", "{NULL}");
        limited.publish(3, "mail", "{}");
        limited.publish(2, "letter", "{}");

        assertThat(limited.claim(10)).hasSize(4);
    }
}
