package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which line is looked at next, and what it costs to remember that. */
class TurnsIntegrationTests {

    private static final LimitedQueue lanes = new LimitedQueue();

    @BeforeEach
    void reset() {
        lanes.queue.reset();
        lanes.limit("'two', running => 2");
        lanes.limit("'wide', running => 100");
        lanes.limit("'ledger', kind => 'FIFO'");
        lanes.limit("'api', rate => 1000000, burst => 100");
    }

    @AfterEach
    void audit() throws SQLException {
        lanes.queue.audit();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"ledger\": \"\"}", "{\"two\": \"7\", \"wide\": \"7\"}", "{\"api\": \"\"}"})
    void comeToALineOfAnyKindBesideABacklog(String limits) {
        lanes.use("backlog", "{two}", "{NULL}");
        lanes.publish(20, "backlog", "{}");
        UUID last = lanes.publish("x", "{}", "limits => '%s'".formatted(limits));

        assertThat(startedOneByOne(3)).contains(last);
    }

    @Test
    void comeToABacklogBesideLinesOfAnotherKind() {
        lanes.use("backlog", "{two,wide}", "{NULL,NULL}");
        lanes.publish(20, "backlog", "{}");
        UUID last = lanes.publish("x", "{}", "limits => '{\"two\": \"7\"}'");

        assertThat(startedOneByOne(3)).contains(last);
    }

    private static List<UUID> startedOneByOne(int claims) {
        List<UUID> started = new ArrayList<>();
        for (int i = 0; i < claims; i++) {
            started.addAll(lanes.claim(1));
            lanes.completeRunning();
        }
        return started;
    }
}
