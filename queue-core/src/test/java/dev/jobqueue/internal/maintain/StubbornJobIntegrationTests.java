package dev.jobqueue.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import dev.jobqueue.internal.settle.SettleCalls.Release;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One job that goes wrong in ways the others must not notice. */
class StubbornJobIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeAll
    static void prepare() {
        queue.execute("CREATE FUNCTION damaged() RETURNS trigger LANGUAGE plpgsql"
                + " AS $$ BEGIN RAISE EXCEPTION 'damaged' USING ERRCODE = 'XX001'; END $$");
    }

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @AfterEach
    void repair() {
        queue.execute("DROP TRIGGER IF EXISTS damaged ON queue.job");
    }

    @Test
    void doesNotKeepTheOthersOfABeatFromGoingBack() {
        UUID worker = UUID.randomUUID();
        List<UUID> ids = claimed(worker);
        damage(ids.get(0));

        queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());

        assertThat(queue.stateOf(ids.get(0))).isEqualTo(JobState.RUNNING);
        assertThat(queue.stateOf(ids.get(1))).isEqualTo(JobState.PENDING);
    }

    @Test
    void doesNotKeepTheOthersFromBeingRescued() {
        List<UUID> ids = claimed(UUID.randomUUID());
        damage(ids.get(0));
        queue.silenceWorkers();

        queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 100);

        assertThat(queue.stateOf(ids.get(0))).isEqualTo(JobState.RUNNING);
        assertThat(queue.stateOf(ids.get(1))).isEqualTo(JobState.PENDING);
    }

    @Test
    void keepsItsFirstErrorAndTheLastNinetyNine() {
        UUID id = queue.publish("max_attempts => 1000");
        queue.execute(
                "UPDATE queue.job SET errors = (SELECT jsonb_agg(jsonb_build_object('attempt', n, 'error', 'old'))"
                        + " FROM generate_series(1, 100) AS n) WHERE id = ?",
                id);
        JobLease lease = queue.claim().lease();

        queue.settlements.failAll(List.of(new Failure(lease, "new", true)));

        assertThat(queue.one(Integer.class, "SELECT jsonb_array_length(errors) FROM queue.live_job"))
                .isEqualTo(100);
        assertThat(queue.one(String.class, "SELECT errors -> 0 ->> 'attempt' FROM queue.live_job"))
                .isEqualTo("1");
        assertThat(queue.one(String.class, "SELECT errors -> 1 ->> 'attempt' FROM queue.live_job"))
                .isEqualTo("3");
        assertThat(queue.one(String.class, "SELECT errors -> 99 ->> 'error' FROM queue.live_job"))
                .isEqualTo("new");
    }

    @Test
    void startsAnewWithTheCountOfItsInterruptionsWhenItSnoozes() {
        JobLease lease = queue.claimNew();
        queue.settlements.releaseAll(List.of(new Release(lease, true)));
        JobLease again = queue.claim().lease();

        queue.settlements.snooze(again, Duration.ZERO);

        assertThat(queue.one(Long.class, "SELECT count(spared) FROM queue.live_job"))
                .isZero();
    }

    @Test
    void goesBackWhenItsWorkerStopsHoweverManyAttemptsItHas() {
        UUID id = queue.publish("max_attempts => 2147483647");
        for (int i = 0; i < 3; i++) {
            queue.settlements.releaseAll(List.of(new Release(queue.claim().lease(), true)));
            assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
        }
    }

    private static List<UUID> claimed(UUID worker) {
        queue.publish();
        queue.publish();
        List<UUID> ids =
                queue.claim(worker, 2).stream().map(job -> job.lease().id()).toList();
        queue.claimedEarlierBy("1 hour");
        return ids;
    }

    private static void damage(UUID id) {
        queue.execute(
                "CREATE TRIGGER damaged BEFORE UPDATE ON queue.job FOR EACH ROW WHEN (OLD.id = '%s')".formatted(id)
                        + " EXECUTE FUNCTION damaged()");
    }
}
