package dev.jobqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.node.NodeCalls.Verdict;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failed;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FencingIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    /** Every call that presents a lease and throws when it is not the right one. */
    static Stream<Named<Consumer<Claim>>> callsThatThrow() {
        return Stream.of(
                Named.of("complete", claim -> queue.settlements.complete(claim, "1")),
                Named.of("fail", claim -> queue.call("fail('%s', %d, 'x')".formatted(claim.id(), claim.lease()))),
                Named.of(
                        "fail for good",
                        claim -> queue.call("fail('%s', %d, 'x', false)".formatted(claim.id(), claim.lease()))),
                Named.of("snooze", claim -> queue.settlements.snooze(claim, Duration.ZERO)),
                Named.of("extend", claim -> queue.reports.extend(claim, Duration.ofHours(1))),
                Named.of("progress", claim -> queue.reports.progress(claim, 50, "half")),
                Named.of("log", claim -> queue.reports.log(claim, "INFO", "here I am")),
                Named.of("save_step", claim -> queue.reports.saveStep(claim, "render", "1")),
                Named.of("cancel", claim -> queue.settlements.confirmCancel(claim)));
    }

    /** Every way from running to where the job may be claimed again, now or later. */
    static Stream<Named<Consumer<Claim>>> waysBack() {
        return Stream.of(
                Named.of("released", claim -> queue.settlements.release(List.of(claim))),
                Named.of("released and claimed again", claim -> {
                    queue.settlements.release(List.of(claim));
                    assertThat(queue.claim().claim().id()).isEqualTo(claim.id());
                }),
                Named.of("snoozed", claim -> queue.settlements.snooze(claim, Duration.ofHours(1))),
                Named.of(
                        "to be retried", claim -> queue.settlements.failAll(List.of(new Failure(claim, "oops", true)))),
                Named.of("replayed", claim -> {
                    queue.settlements.failAll(List.of(new Failure(claim, "oops", false)));
                    queue.operations.replay(claim.id());
                }),
                Named.of("published again", claim -> {
                    queue.call("configure(retention => '0')");
                    queue.settlements.complete(claim, null);
                    queue.publish("id => '%s'".formatted(claim.id()));
                }));
    }

    static Stream<Arguments> waysBackAndCallsThatThrow() {
        return waysBack().flatMap(way -> callsThatThrow().map(call -> arguments(way, call)));
    }

    private static void assertRefusedByTheCallsForMany(Claim claim) {
        List<String> before = queue.everyRow();

        assertThat(queue.settlements.completeAll(List.of(new Completion(claim, "1"))))
                .containsExactly(claim.id());
        assertThat(queue.settlements.failAll(List.of(new Failure(claim, "x", true))))
                .containsExactly(new Failed(claim.id(), null, null));
        assertThat(queue.settlements.failAll(List.of(new Failure(claim, "x", false))))
                .containsExactly(new Failed(claim.id(), null, null));
        assertThat(queue.settlements.release(List.of(claim))).containsExactly(claim.id());
        assertThat(queue.everyRow()).isEqualTo(before);
    }

    @Nested
    class AZombie {

        private Claim first = new Claim(UUID.randomUUID(), 0);
        private Claim second = first;

        @BeforeEach
        void rescueAndClaimAgain() {
            first = queue.claimNew("timeout => '1 minute'");
            queue.silenceWorkers();
            queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000);
            second = queue.claim().claim();
            assertThat(second.id()).isEqualTo(first.id());
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void isRefusedByEveryCall(Consumer<Claim> call) {
            queue.refuses(LeaseLostException.class, () -> call.accept(first))
                    .hasMessageContaining(
                            "lease is '%d': job '%s' is RUNNING and not under that lease", first.lease(), first.id());
        }

        @Test
        void isNamedAsRefusedByTheCallsForMany() {
            assertRefusedByTheCallsForMany(first);
        }

        @Test
        void hearsFromItsHeartbeatThatTheJobIsLost() {
            Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);

            assertThat(queue.workers.heartbeat(node, List.of(first, second)))
                    .containsExactly(new Verdict(first, false));
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void doesNotKeepTheNewWorkerFromTheSameCall(Consumer<Claim> call) {
            List<String> before = queue.everyRow();

            call.accept(second);

            assertThat(queue.everyRow()).isNotEqualTo(before);
        }

        @Test
        void cannotSettleAmongOthersInOneBatch() {
            assertThat(queue.settlements.completeAll(List.of(new Completion(first, "1"), new Completion(second, "2"))))
                    .containsExactly(first.id());
            assertThat(queue.history(second.id()).get("result")).hasToString("2");
        }
    }

    @Nested
    class AZombieWhoseJob {

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void waitsAgainIsRefusedByEveryCall(Consumer<Claim> call) {
            Claim claim = queue.claimNew();
            queue.silenceWorkers();
            queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000);

            queue.refuses(LeaseLostException.class, () -> call.accept(claim)).hasMessageContaining("is PENDING");
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void isFinishedIsRefusedByEveryCall(Consumer<Claim> call) {
            Claim claim = queue.claimNew();
            queue.settlements.complete(claim, "1");

            queue.refuses(JobNotFoundException.class, () -> call.accept(claim));
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void isDeadIsRefusedByEveryCall(Consumer<Claim> call) {
            Claim claim = queue.claimNew();
            queue.settlements.failAll(List.of(new Failure(claim, "oops", false)));

            queue.refuses(JobNotFoundException.class, () -> call.accept(claim));
        }
    }

    /** The row of the lease stays, so it is the version of the job that tells the old lease from a new one. */
    @Nested
    class WhileAnotherJobOfTheClaimRuns {

        private final UUID worker = UUID.randomUUID();
        private Claim old = new Claim(UUID.randomUUID(), 0);
        private Claim running = old;

        @BeforeEach
        void claimTwo() {
            queue.publish();
            queue.publish();
            List<ClaimedJob> claimed = queue.claim(worker, 2);
            old = claimed.get(0).claim();
            running = claimed.get(1).claim();
        }

        @AfterEach
        void completeTheOther() throws SQLException {
            queue.audit();
            queue.settlements.complete(running, null);
        }

        @ParameterizedTest(name = "{0}, {1}")
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#waysBackAndCallsThatThrow")
        void theOldLeaseIsRefusedByEveryCall(Consumer<Claim> wayBack, Consumer<Claim> call) {
            wayBack.accept(old);

            queue.refuses(LeaseLostException.class, () -> call.accept(old));
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#waysBack")
        void theOldLeaseIsRefusedByTheCallsForMany(Consumer<Claim> wayBack) {
            wayBack.accept(old);

            assertRefusedByTheCallsForMany(old);
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#waysBack")
        void theHeartbeatSaysThatTheJobIsLost(Consumer<Claim> wayBack) {
            wayBack.accept(old);

            assertThat(queue.workers.heartbeat(
                            new Registration(worker, null, null, null, null, null), List.of(old, running)))
                    .containsExactly(new Verdict(old, false));
        }
    }

    /** Both jobs have the same version, and both leases exist. */
    @Nested
    class TheLeaseOfAnotherClaim {

        private Claim mixed = new Claim(UUID.randomUUID(), 0);

        @BeforeEach
        void claimTwice() {
            mixed = new Claim(queue.claimNew().id(), queue.claimNew().lease());
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void isRefusedByEveryCall(Consumer<Claim> call) {
            queue.refuses(LeaseLostException.class, () -> call.accept(mixed));
        }

        @Test
        void isRefusedByTheCallsForMany() {
            assertRefusedByTheCallsForMany(mixed);
        }

        @Test
        void isLostForTheHeartbeat() {
            Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);

            assertThat(queue.workers.heartbeat(node, List.of(mixed))).containsExactly(new Verdict(mixed, false));
        }
    }

    @Test
    void refusesToCompleteTwice() {
        Claim claim = queue.claimNew();
        queue.settlements.complete(claim, "1");

        queue.refuses(JobNotFoundException.class, () -> queue.settlements.complete(claim, "2"));
        assertThat(queue.settlements.completeAll(List.of(new Completion(claim, "3"))))
                .containsExactly(claim.id());
        assertThat(queue.history(claim.id()).get("result")).hasToString("1");
    }

    @Test
    void refusesToCompleteWhatWasNeverClaimed() {
        UUID id = queue.publish();

        queue.refuses(LeaseLostException.class, () -> queue.settlements.complete(new Claim(id, 0), null));
        queue.refuses(LeaseLostException.class, () -> queue.call("complete('%s', NULL)".formatted(id)));
        assertThat(queue.list(UUID.class, "SELECT * FROM queue.complete_many(ARRAY[?], ARRAY[NULL]::bigint[])", id))
                .containsExactly(id);
        assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
    }

    @Test
    void refusesToFailWhatIsCancelled() {
        Claim claim = queue.claimNew();
        queue.operations.cancel(claim.id());
        queue.settlements.confirmCancel(claim);

        queue.refuses(
                JobNotFoundException.class,
                () -> queue.call("fail('%s', %d, 'x')".formatted(claim.id(), claim.lease())));
    }

    @Test
    void givesASnoozedJobAnotherLease() {
        Claim claim = queue.claimNew();
        queue.settlements.snooze(claim, Duration.ZERO);
        queue.upkeep.promote(10);
        Claim again = queue.claim().claim();

        assertThat(again.id()).isEqualTo(claim.id());
        assertThat(again.lease()).isNotEqualTo(claim.lease());
        queue.refuses(LeaseLostException.class, () -> queue.settlements.complete(claim, null));
        queue.settlements.complete(again, null);
    }

    @Test
    void neverGivesALeaseAgainWhenACrashTookTheSequenceBack() {
        Claim before = queue.claimNew();
        queue.execute("ALTER SEQUENCE queue.lease_number RESTART");

        assertThat(queue.claimNew().lease()).isGreaterThan(before.lease());
    }

    @Test
    void keepsAWorkerRegisteredThatHoldsJobs() {
        UUID worker = UUID.randomUUID();
        queue.publish();
        Claim claim = queue.claim(worker, 1).get(0).claim();

        queue.refuses(InvalidJobException.class, () -> queue.workers.unregister(worker))
                .hasMessageContaining("worker_id is '%s': must hold no running jobs", worker);
        queue.settlements.complete(claim, null);
        queue.workers.unregister(worker);
        assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.worker")).isZero();
    }

    @Test
    void refusesTheHeartbeatOfAWorkerThatWasDeclaredDead() {
        Registration node = new Registration(UUID.randomUUID(), "host", 1, "1", List.of("default"), List.of("mail"));
        queue.workers.heartbeat(node, List.of());
        queue.silenceWorkers();
        queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000);

        queue.refuses(LeaseLostException.class, () -> queue.workers.heartbeat(node, List.of()))
                .hasMessageContaining("was declared dead");
    }
}
