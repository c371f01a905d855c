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
    static Stream<Named<Consumer<JobLease>>> callsThatThrow() {
        return Stream.of(
                Named.of("complete", lease -> queue.settlements.complete(lease, "1")),
                Named.of("fail", lease -> queue.call("fail('%s', %d, 'x')".formatted(lease.id(), lease.number()))),
                Named.of(
                        "fail for good",
                        lease -> queue.call("fail('%s', %d, 'x', false)".formatted(lease.id(), lease.number()))),
                Named.of("snooze", lease -> queue.settlements.snooze(lease, Duration.ZERO)),
                Named.of("extend", lease -> queue.reports.extend(lease, Duration.ofHours(1))),
                Named.of("progress", lease -> queue.reports.progress(lease, 50, "half")),
                Named.of("log", lease -> queue.reports.log(lease, "INFO", "here I am")),
                Named.of("save_step", lease -> queue.reports.saveStep(lease, "render", "1")),
                Named.of("cancel", lease -> queue.settlements.confirmCancel(lease)));
    }

    /** Every way from running to where the job may be claimed again, now or later. */
    static Stream<Named<Consumer<JobLease>>> waysBack() {
        return Stream.of(
                Named.of("released", lease -> queue.settlements.release(List.of(lease))),
                Named.of("released and claimed again", lease -> {
                    queue.settlements.release(List.of(lease));
                    assertThat(queue.claim().lease().id()).isEqualTo(lease.id());
                }),
                Named.of("snoozed", lease -> queue.settlements.snooze(lease, Duration.ofHours(1))),
                Named.of(
                        "to be retried", lease -> queue.settlements.failAll(List.of(new Failure(lease, "oops", true)))),
                Named.of("replayed", lease -> {
                    queue.settlements.failAll(List.of(new Failure(lease, "oops", false)));
                    queue.operations.replay(lease.id());
                }),
                Named.of("published again", lease -> {
                    queue.call("configure(retention => '0')");
                    queue.settlements.complete(lease, null);
                    queue.publish("id => '%s'".formatted(lease.id()));
                }));
    }

    static Stream<Arguments> waysBackAndCallsThatThrow() {
        return waysBack().flatMap(way -> callsThatThrow().map(call -> arguments(way, call)));
    }

    private static void assertRefusedByTheCallsForMany(JobLease lease) {
        List<String> before = queue.everyRow();

        assertThat(queue.settlements.completeAll(List.of(new Completion(lease, "1"))))
                .containsExactly(lease.id());
        assertThat(queue.settlements.failAll(List.of(new Failure(lease, "x", true))))
                .containsExactly(new Failed(lease.id(), null, null));
        assertThat(queue.settlements.failAll(List.of(new Failure(lease, "x", false))))
                .containsExactly(new Failed(lease.id(), null, null));
        assertThat(queue.settlements.release(List.of(lease))).containsExactly(lease.id());
        assertThat(queue.everyRow()).isEqualTo(before);
    }

    @Nested
    class AZombie {

        private JobLease first = new JobLease(UUID.randomUUID(), 0);
        private JobLease second = first;

        @BeforeEach
        void rescueAndClaimAgain() {
            first = queue.claimNew("timeout => '1 minute'");
            queue.silenceWorkers();
            queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000);
            second = queue.claim().lease();
            assertThat(second.id()).isEqualTo(first.id());
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void isRefusedByEveryCall(Consumer<JobLease> call) {
            queue.refuses(LeaseLostException.class, () -> call.accept(first))
                    .hasMessageContaining(
                            "lease is '%d': job '%s' is RUNNING and not under that lease", first.number(), first.id());
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
        void doesNotKeepTheNewWorkerFromTheSameCall(Consumer<JobLease> call) {
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
        void waitsAgainIsRefusedByEveryCall(Consumer<JobLease> call) {
            JobLease lease = queue.claimNew();
            queue.silenceWorkers();
            queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000);

            queue.refuses(LeaseLostException.class, () -> call.accept(lease)).hasMessageContaining("is PENDING");
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void isFinishedIsRefusedByEveryCall(Consumer<JobLease> call) {
            JobLease lease = queue.claimNew();
            queue.settlements.complete(lease, "1");

            queue.refuses(JobNotFoundException.class, () -> call.accept(lease));
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void isDeadIsRefusedByEveryCall(Consumer<JobLease> call) {
            JobLease lease = queue.claimNew();
            queue.settlements.failAll(List.of(new Failure(lease, "oops", false)));

            queue.refuses(JobNotFoundException.class, () -> call.accept(lease));
        }
    }

    /** The row of the lease stays, so it is the version of the job that tells the old lease from a new one. */
    @Nested
    class WhileAnotherJobOfTheClaimRuns {

        private final UUID worker = UUID.randomUUID();
        private JobLease old = new JobLease(UUID.randomUUID(), 0);
        private JobLease running = old;

        @BeforeEach
        void claimTwo() {
            queue.publish();
            queue.publish();
            List<ClaimedJob> claimed = queue.claim(worker, 2);
            old = claimed.get(0).lease();
            running = claimed.get(1).lease();
        }

        @AfterEach
        void completeTheOther() throws SQLException {
            queue.audit();
            queue.settlements.complete(running, null);
        }

        @ParameterizedTest(name = "{0}, {1}")
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#waysBackAndCallsThatThrow")
        void theOldLeaseIsRefusedByEveryCall(Consumer<JobLease> wayBack, Consumer<JobLease> call) {
            wayBack.accept(old);

            queue.refuses(LeaseLostException.class, () -> call.accept(old));
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#waysBack")
        void theOldLeaseIsRefusedByTheCallsForMany(Consumer<JobLease> wayBack) {
            wayBack.accept(old);

            assertRefusedByTheCallsForMany(old);
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#waysBack")
        void theHeartbeatSaysThatTheJobIsLost(Consumer<JobLease> wayBack) {
            wayBack.accept(old);

            assertThat(queue.workers.heartbeat(
                            new Registration(worker, null, null, null, null, null), List.of(old, running)))
                    .containsExactly(new Verdict(old, false));
        }
    }

    /** Both jobs have the same version, and both leases exist. */
    @Nested
    class TheLeaseOfAnotherClaim {

        private JobLease mixed = new JobLease(UUID.randomUUID(), 0);

        @BeforeEach
        void claimTwice() {
            mixed = new JobLease(queue.claimNew().id(), queue.claimNew().number());
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.settle.FencingIntegrationTests#callsThatThrow")
        void isRefusedByEveryCall(Consumer<JobLease> call) {
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
        JobLease lease = queue.claimNew();
        queue.settlements.complete(lease, "1");

        queue.refuses(JobNotFoundException.class, () -> queue.settlements.complete(lease, "2"));
        assertThat(queue.settlements.completeAll(List.of(new Completion(lease, "3"))))
                .containsExactly(lease.id());
        assertThat(queue.history(lease.id()).get("result")).hasToString("1");
    }

    @Test
    void refusesToCompleteWhatWasNeverClaimed() {
        UUID id = queue.publish();

        queue.refuses(LeaseLostException.class, () -> queue.settlements.complete(new JobLease(id, 0), null));
        queue.refuses(LeaseLostException.class, () -> queue.call("complete('%s', NULL)".formatted(id)));
        assertThat(queue.list(UUID.class, "SELECT * FROM queue.complete_many(ARRAY[?], ARRAY[NULL]::bigint[])", id))
                .containsExactly(id);
        assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
    }

    @Test
    void refusesToFailWhatIsCancelled() {
        JobLease lease = queue.claimNew();
        queue.operations.cancel(lease.id());
        queue.settlements.confirmCancel(lease);

        queue.refuses(
                JobNotFoundException.class,
                () -> queue.call("fail('%s', %d, 'x')".formatted(lease.id(), lease.number())));
    }

    @Test
    void givesASnoozedJobAnotherLease() {
        JobLease lease = queue.claimNew();
        queue.settlements.snooze(lease, Duration.ZERO);
        queue.upkeep.promote(10);
        JobLease again = queue.claim().lease();

        assertThat(again.id()).isEqualTo(lease.id());
        assertThat(again.number()).isNotEqualTo(lease.number());
        queue.refuses(LeaseLostException.class, () -> queue.settlements.complete(lease, null));
        queue.settlements.complete(again, null);
    }

    @Test
    void neverGivesALeaseAgainWhenACrashTookTheSequenceBack() {
        JobLease before = queue.claimNew();
        queue.execute("ALTER SEQUENCE queue.lease_number RESTART");

        assertThat(queue.claimNew().number()).isGreaterThan(before.number());
    }

    @Test
    void keepsAWorkerRegisteredThatHoldsJobs() {
        UUID worker = UUID.randomUUID();
        queue.publish();
        JobLease lease = queue.claim(worker, 1).get(0).lease();

        queue.refuses(InvalidJobException.class, () -> queue.workers.unregister(worker))
                .hasMessageContaining("worker_id is '%s': must hold no running jobs", worker);
        queue.settlements.complete(lease, null);
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
