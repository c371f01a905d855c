package dev.jobqueue.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.flow.ResolveCalls.Taken;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps that a worker takes with the call that frees them. */
class FreeSlotsIntegrationTests {

    private static final FlowQueue FLOWS = new FlowQueue();

    private final ResolveCalls resolve = new ResolveCalls(FLOWS.queue.sql);
    private final UUID worker = UUID.randomUUID();
    private long lease;

    @BeforeEach
    void register() {
        FLOWS.reset();
        FLOWS.queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());
    }

    @AfterEach
    void audit() throws Exception {
        FLOWS.queue.audit();
        FlowAudit.audit(FLOWS.queue.database);
    }

    @Test
    void holdAStepAsAClaimWould() {
        UUID flow = FLOWS.flow("a\nb < a\nc < b");
        FLOWS.runOnce();

        Taken<ClaimedJob> taken = take(2, "b");

        assertThat(taken.jobs()).extracting(ClaimedJob::type).containsExactly("b");
        assertThat(taken.jobs().get(0).place()).isEqualTo(new FlowPlace(flow, "b"));
        assertThat(taken.resolution().queues()).as("nobody is woken").isEmpty();
        assertThat(taken.resolution().freed()).isTrue();
        assertThat(FLOWS.queue.claim(UUID.randomUUID(), 10)).isEmpty();
        complete(taken);
        assertThat(FLOWS.queue.history(FLOWS.jobOf(flow, "b")))
                .containsEntry("attempt", 1)
                .containsEntry("worker_id", worker);
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
    }

    @Test
    void areNotUsedWhereNothingBecameFree() {
        UUID batch = FLOWS.batch();
        FLOWS.add(batch, 1, "mail");

        Taken<ClaimedJob> taken = take(2, "mail");

        assertThat(taken.jobs()).isEmpty();
        assertThat(taken.resolution().folded()).isOne();
        assertThat(taken.resolution().freed()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"3, 3", "2, 0"})
    void holdAllStepsOfAQueueOrNone(int slots, int taken) {
        UUID flow = FLOWS.flow("a\nb* < a\nb* < a\nb* < a");
        FLOWS.runOnce();

        Taken<ClaimedJob> answer = take(slots, "b");

        assertThat(answer.jobs()).hasSize(taken);
        assertThat(answer.resolution().queues()).isEqualTo(taken > 0 ? Set.of() : Set.of("default"));
        complete(answer);
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
    }

    @Test
    void leaveWhatTheWorkerDoesNotHandleToOthers() {
        FLOWS.flow("a\nb < a\nother < a");
        FLOWS.runOnce();

        Taken<ClaimedJob> taken = take(5, "b");

        assertThat(taken.jobs()).extracting(ClaimedJob::type).containsExactly("b");
        assertThat(taken.resolution().queues()).containsExactly("default");
        assertThat(FLOWS.queue.claim(UUID.randomUUID(), 10))
                .extracting(ClaimedJob::type)
                .containsExactly("other");
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "1, 0"})
    void areForTheirOwnQueueOnly(int slots, int fit) {
        FLOWS.queue.list(UUID.class, """
                SELECT id FROM queue.publish_flow('two', '[{"name": "a", "job": {"type": "a", "payload": {}}},
                    {"name": "b", "after": ["a"], "job": {"type": "b", "payload": {}, "queue": "mail"}},
                    {"name": "c", "after": ["a"], "job": {"type": "c", "payload": {}, "queue": "default"}},
                    {"name": "d", "after": ["a"], "job": {"type": "d", "payload": {}}}]')""");
        FLOWS.runOnce();

        Taken<ClaimedJob> taken = take(slots, "b", "c", "d");

        assertThat(taken.jobs()).hasSize(fit).extracting(ClaimedJob::queue).allMatch("default"::equals);
        assertThat(taken.resolution().queues()).isEqualTo(fit > 0 ? Set.of("mail") : Set.of("default", "mail"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"delay\": \"1 hour\"", "\"run_at\": \"2090-01-01\"", "\"limits\": {\"one\": \"k\"}"})
    void leaveWhatHasToWait(String further) {
        FLOWS.queue.call("set_limit('one', running => 1)");
        UUID flow = FLOWS.queue.one(UUID.class, """
                SELECT id FROM queue.publish_flow('waits', '[{"name": "a", "job": {"type": "a", "payload": {}}},
                    {"name": "b", "after": ["a"], "job": {"type": "b", "payload": {}, %s}}]')""".formatted(further));
        FLOWS.runOnce();

        assertThat(take(5, "b").jobs()).isEmpty();

        assertThat(FLOWS.queue.stateOf(FLOWS.jobOf(flow, "b"))).isIn(JobState.SCHEDULED, JobState.WAITING);
        FLOWS.queue.call("remove_limit('one')");
    }

    @Test
    void areNotUsedWhileTheQueueIsPaused() {
        UUID flow = FLOWS.flow("a\nb < a");
        FLOWS.runOnce();
        FLOWS.queue.call("pause('default')");

        Taken<ClaimedJob> taken = take(5, "b");

        assertThat(taken.jobs()).isEmpty();
        assertThat(taken.resolution().queues()).containsExactly("default");
        assertThat(FLOWS.queue.stateOf(FLOWS.jobOf(flow, "b"))).isEqualTo(JobState.PENDING);
        FLOWS.queue.call("resume('default')");
    }

    /** Killed between the commit and the slot. */
    @Test
    void costNoAttemptWhenTheWorkerVanishes() {
        UUID flow = FLOWS.flow("a\nb < a");
        FLOWS.runOnce();
        FLOWS.queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());
        JobLease lost = take(1, "b").jobs().get(0).lease();
        FLOWS.queue.silenceWorkers();
        FLOWS.queue.call("rescue()");

        assertThat(FLOWS.queue.job(FLOWS.jobOf(flow, "b")))
                .containsEntry("state", "PENDING")
                .containsEntry("attempt", 0);
        assertThat(FLOWS.queue.settlements.completeAll(List.of(new Completion(lost, null))))
                .containsExactly(lost.id());
        assertThat(FLOWS.queue.claim(UUID.randomUUID(), 10))
                .extracting(ClaimedJob::type)
                .containsExactly("b");
    }

    @Test
    void areRefusedToAWorkerThatIsDead() {
        UUID flow = FLOWS.flow("a\nb < a");
        FLOWS.runOnce();
        FLOWS.queue.execute("UPDATE queue.worker SET dead_at = clock_timestamp() WHERE id = '%s'".formatted(worker));

        FLOWS.queue.refuses(LeaseLostException.class, () -> take(1, "b"));

        FLOWS.runAll();
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
    }

    /** The steps of the flow that cannot be published die, the others are left to a claim. */
    @Test
    void areNotUsedWhereAStepCannotBePublished() {
        UUID flow = FLOWS.flow("a\nb < a\nc < a");
        FLOWS.queue.execute("UPDATE queue.flow_step SET spec = '{\"type\": \"\", \"payload\": {}}' WHERE name = 'c'");
        FLOWS.runOnce();

        assertThat(take(5, "b", "c", "").jobs()).isEmpty();

        FLOWS.runAll();
        assertThat(FLOWS.stepsOf(flow)).containsExactly("a DONE", "b DONE", "c DEAD");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "leases => '{7}', worker_id => gen_random_uuid(), free_slots => '{1}', types => '{a}'",
                "leases => '{-7}', free_slots => '{1}', types => '{a}'",
                "leases => '{-7}', worker_id => gen_random_uuid(), free_slots => '{1}'",
                "leases => '{-7,-8}', worker_id => gen_random_uuid(), free_slots => '{1}', types => '{a}'",
                "leases => '{-7}', worker_id => gen_random_uuid(), free_slots => '{-1}', types => '{a}'",
                "leases => '{-7}', worker_id => gen_random_uuid(), types => '{a}'"
            })
    void areRefusedWhereTheyDoNotFit(String arguments) {
        FLOWS.queue
                .refuses(
                        InvalidJobException.class,
                        () -> FLOWS.queue.call("resolve(free_queues => '{default}', %s)".formatted(arguments)))
                .hasMessageContaining("leases");
    }

    private Taken<ClaimedJob> take(int slots, String... types) {
        lease--;
        return resolve.resolve(
                1000,
                false,
                new FreeSlots(worker, List.of(types), Map.of("default", slots), List.of(lease)),
                ClaimCalls::readClaimed);
    }

    private static void complete(Taken<ClaimedJob> taken) {
        FLOWS.queue.settlements.completeAll(taken.jobs().stream()
                .map(job -> new Completion(job.lease(), null))
                .toList());
    }
}
