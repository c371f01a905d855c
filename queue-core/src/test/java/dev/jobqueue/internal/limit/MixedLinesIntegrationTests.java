package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** FIFO lines whose jobs have different types and further limits, also after the FIFO has become something else. */
class MixedLinesIntegrationTests {

    private static final String IN_ORDER = "limits => '{\"ledger\": \"7\"}'";
    private static final String LIMITED_TOO = "limits => '{\"ledger\": \"7\", \"api\": \"\"}'";
    private static final LimitedQueue lanes = new LimitedQueue();

    @BeforeEach
    void fifo() {
        lanes.queue.reset();
        lanes.limit("'ledger', kind => 'FIFO'");
    }

    @AfterEach
    void audit() throws SQLException {
        lanes.queue.audit();
    }

    @Test
    void keepTheFurtherLimitsOfEachJobWhenTheFifoIsRemoved() {
        lanes.limit("'api', running => 1");
        for (int i = 0; i < 4; i++) {
            lanes.publish("plain", "{}", IN_ORDER);
            lanes.publish("limited", "{}", LIMITED_TOO);
        }
        lanes.claim(1);
        lanes.queue.call("remove_limit('ledger')");

        int started = 1;
        while (started < 8) {
            List<UUID> claimed = lanes.claim(10);
            assertThat(claimed).isNotEmpty();
            started += claimed.size();
            assertThat(lanes.queue.one(
                            Long.class,
                            "SELECT count(*) FROM queue.live_job WHERE state = 'RUNNING' AND 'api' = ANY (limits)"))
                    .isLessThanOrEqualTo(1);
            lanes.completeRunning();
        }
        assertThat(started).isEqualTo(8);
    }

    @Test
    void giveOnlyTypesThatWereAskedForWhenTheFifoIsRemoved() {
        UUID first = lanes.publish("plain", "{}", IN_ORDER);
        UUID second = lanes.publish("other", "{}", IN_ORDER);
        lanes.queue.call("remove_limit('ledger')");

        assertThat(lanes.claimed(10, List.of("plain"))).extracting(JobLease::id).containsExactly(first);
        assertThat(lanes.claimed(10, List.of("other"))).extracting(JobLease::id).containsExactly(second);
    }

    @Test
    void dropNoJobThatDoesNotHaveTheLimit() {
        lanes.limit("'api', running => 1, at_limit => 'DROP'");
        UUID first = lanes.publish("limited", "{}", LIMITED_TOO);
        UUID plain = lanes.publish("plain", "{}", IN_ORDER);
        UUID last = lanes.publish("limited", "{}", LIMITED_TOO);

        assertThat(lanes.claim(10)).containsExactly(first);
        assertThat(lanes.queue.stateOf(plain)).isEqualTo(JobState.WAITING);
        lanes.complete(first);
        assertThat(lanes.claim(10)).containsExactly(plain);
        lanes.complete(plain);
        assertThat(lanes.claim(10)).containsExactly(last);
    }

    @Test
    void goOnAtOnceWhenDeadLettersNoLongerBlock() {
        UUID dead = lanes.publish("plain", "{}", IN_ORDER);
        UUID next = lanes.publish("plain", "{}", IN_ORDER);
        lanes.claim(10);
        lanes.fail(dead, false);
        assertThat(lanes.claim(10)).isEmpty();

        lanes.limit("'ledger', kind => 'FIFO', on_dead => 'CONTINUE'");

        assertThat(lanes.claim(10)).containsExactly(next);
    }

    @Test
    void countOnlyWhatRunsWhenTheFifoBecomesALimit() {
        UUID dead = lanes.publish("plain", "{}", IN_ORDER);
        UUID next = lanes.publish("plain", "{}", IN_ORDER);
        lanes.claim(10);
        lanes.fail(dead, false);

        lanes.limit("'ledger', running => 1");

        assertThat(lanes.claim(10)).containsExactly(next);
    }

    @Test
    void doNotStandStillForAJobFromBeforeTheLimitBecameAFifo() {
        lanes.limit("'crm', running => 1");
        UUID first = lanes.publish("sync", "{}", "limits => '{\"crm\": \"\"}'");
        UUID second = lanes.publish("sync", "{}", "limits => '{\"crm\": \"\"}'");
        lanes.claim(10);
        lanes.limit("'crm', kind => 'FIFO'");
        lanes.fail(first, true);

        lanes.queue.promoteAll();
        assertThat(lanes.claim(10)).containsExactly(second);
        lanes.complete(second);
        assertThat(lanes.claim(10)).containsExactly(first);
    }

    @Test
    void areNotMadeOfTwoOrders() {
        lanes.limit("'audit', kind => 'FIFO'");
        lanes.use("plain", "{ledger}", "{NULL}");
        lanes.queue.call("use_limits(NULL, 'default', '{audit}')");

        lanes.queue
                .refuses(InvalidJobException.class, () -> lanes.queue.call("publish('plain', '{}')"))
                .hasMessageContaining("limits is 'audit, ledger': must have no more than one FIFO");
        assertThat(lanes.publish("other", "{}")).isNotNull();
    }

    @Test
    void refuseAKeyThatIsNoText() {
        lanes.use("plain", "{ledger}", "{account}");

        lanes.queue
                .refuses(
                        InvalidJobException.class,
                        () -> lanes.queue.call("publish('plain', '{\"account\": \"\\u0000\"}'::text)"))
                .hasMessageContaining("must be JSON that PostgreSQL can store");
    }
}
