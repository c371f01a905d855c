package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.maintain.MaintainCalls.Rescue;
import dev.jobqueue.internal.maintain.MaintainCalls.Rescued;
import dev.jobqueue.internal.node.NodeCalls;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.node.NodeCalls.Verdict;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.operate.NodeFigures;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The arrows that others than the job's worker follow: rescue, cancel, replay. */
class InterventionIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    private static List<Rescued> rescue() {
        return queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000).jobs();
    }

    private static String lastError(String table, UUID id) {
        return queue.one(String.class, "SELECT errors -> -1 ->> 'error' FROM queue." + table + " WHERE id = ?", id);
    }

    @Nested
    class RescueToPending {

        @Test
        void takesTheJobsOfAWorkerThatStoppedBeating() {
            UUID worker = UUID.randomUUID();
            Registration node = new Registration(worker, "host-7", 1, "1.0", null, null);
            UUID id = queue.publish();
            JobLease lease = queue.claim(worker, 1).get(0).lease();
            queue.workers.heartbeat(node, List.of(lease));
            queue.silenceWorkers();

            List<Rescued> rescued = rescue();

            assertThat(rescued).hasSize(1);
            assertThat(rescued.get(0).id()).isEqualTo(id);
            assertThat(rescued.get(0).state()).isEqualTo(JobState.PENDING);
            assertThat(rescued.get(0).reason()).contains("worker " + worker + " on host host-7 stopped beating at");
            assertThat(queue.job(id))
                    .containsEntry("state", "PENDING")
                    .containsEntry("attempt", 1)
                    .containsEntry("lease", null);
            assertThat(lastError("job", id)).isEqualTo(rescued.get(0).reason());
            assertThat(queue.claim().attempt()).isEqualTo(2);
        }

        @Test
        void leavesItToEachWorkerHowLongItMayBeSilent() {
            UUID patient = worker(Duration.ofHours(2));
            UUID hasty = worker(Duration.ofMinutes(1));
            UUID id = queue.publish();
            queue.claim(patient, 1);
            UUID lost = queue.publish();
            queue.claim(hasty, 1);
            queue.silenceWorkers();

            // as nodes of two applications do: one waits for longer, one for shorter than both
            assertThat(queue.upkeep
                            .rescue(Duration.ofHours(3), Duration.ZERO, 1000)
                            .jobs())
                    .extracting(Rescued::id)
                    .containsExactly(lost);
            Rescue rescue = queue.upkeep.rescue(Duration.ofSeconds(1), Duration.ZERO, 1000);
            assertThat(rescue.jobs()).isEmpty();
            assertThat(rescue.next())
                    .hasValueSatisfying(
                            next -> assertThat(next).isBetween(Duration.ofMinutes(50), Duration.ofMinutes(60)));
            assertThat(queue.stateOf(id)).isEqualTo(JobState.RUNNING);
            assertThat(new FigureReader(queue.sql).nodes(Duration.ofSeconds(1)))
                    .filteredOn(NodeFigures::isLive)
                    .extracting(NodeFigures::id)
                    .containsExactly(patient);
        }

        private static UUID worker(Duration ttl) {
            UUID worker = UUID.randomUUID();
            new NodeCalls(queue.sql, ttl).heartbeat(new Registration(worker, null, null, null, null, null), List.of());
            return worker;
        }

        @Test
        void takesAJobPastItsTimeoutFromAWorkerThatLives() {
            JobLease lease = queue.claimNew("timeout => '1 minute'");
            queue.claimedEarlierBy("61 seconds");

            assertThat(queue.upkeep
                            .rescue(Duration.ofSeconds(20), Duration.ofMinutes(1), 1000)
                            .jobs())
                    .isEmpty();
            assertThat(rescue()).extracting(Rescued::id).containsExactly(lease.id());

            assertThat(queue.stateOf(lease.id())).isEqualTo(JobState.PENDING);
            assertThat(lastError("job", lease.id())).startsWith("timeout at ");
        }

        @Test
        void takesAJobWhoseWorkerIsNotRegisteredAnyMore() {
            JobLease lease = queue.claimNew();
            queue.execute("DELETE FROM queue.worker");

            assertThat(rescue()).as("claimed a moment ago").isEmpty();
            queue.claimedEarlierBy("1 hour");
            assertThat(rescue()).extracting(Rescued::id).containsExactly(lease.id());

            assertThat(lastError("job", lease.id())).contains("is not registered any more");
        }

        @Test
        void leavesTheJobsOfAWorkerThatBeats() {
            UUID worker = UUID.randomUUID();
            queue.publish();
            queue.claim(worker, 1);
            queue.silenceWorkers();
            queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());
            List<String> before = queue.everyRow();

            assertThat(rescue()).isEmpty();
            assertThat(queue.everyRow()).isEqualTo(before);
        }

        @Test
        void takesAtMostSoManyAtOnceAndTheRestNextTime() {
            UUID worker = UUID.randomUUID();
            for (int i = 0; i < 3; i++) {
                queue.publish("timeout => '1 minute'");
            }
            queue.claim(worker, 3);
            queue.silenceWorkers();

            assertThat(queue.upkeep
                            .rescue(Duration.ofSeconds(20), Duration.ZERO, 2)
                            .jobs())
                    .hasSize(2);
            assertThat(rescue()).hasSize(1);
        }

        @Test
        void refusesALimitOfNone() {
            queue.refuses(
                    InvalidJobException.class, () -> queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 0));
        }
    }

    @Nested
    class RescueLooksAhead {

        private static final Duration TTL = Duration.ofSeconds(20);

        private static Optional<Duration> next(Duration ttl, Duration grace) {
            return queue.upkeep.rescue(ttl, grace, 1000).next();
        }

        @Test
        void toNothingWhereNobodyCanBeLate() {
            assertThat(next(TTL, Duration.ZERO)).isEmpty();
        }

        @Test
        void toTheWorkerWhoseLastBeatIsTheOldest() {
            UUID worker = UUID.randomUUID();
            queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());
            queue.execute("UPDATE queue.worker SET beat_at = beat_at - interval '1 hour'");
            queue.workers.heartbeat(new Registration(UUID.randomUUID(), null, null, null, null, null), List.of());
            assertThat(next(Duration.ofHours(2), Duration.ZERO))
                    .hasValueSatisfying(
                            next -> assertThat(next).isBetween(Duration.ofMinutes(50), Duration.ofMinutes(60)));
        }

        @Test
        void toTheTimeoutOfAJobAndTheGraceAfterIt() {
            queue.claimNew("timeout => '30 minutes'");
            assertThat(next(Duration.ofHours(2), Duration.ofMinutes(10)))
                    .hasValueSatisfying(
                            next -> assertThat(next).isBetween(Duration.ofMinutes(30), Duration.ofMinutes(40)));
        }

        @Test
        void toNowWhereItFoundAJobLocked() {
            JobLease lease = queue.claimNew();
            queue.silenceWorkers();
            DataSource other = queue.connect();
            new TransactionTemplate(new JdbcTransactionManager(other)).executeWithoutResult(status -> {
                JdbcClient.create(other)
                        .sql("SELECT FROM queue.job WHERE id = ? FOR UPDATE")
                        .param(lease.id())
                        .query()
                        .listOfRows();
                assertThat(queue.upkeep.rescue(TTL, Duration.ZERO, 1000))
                        .isEqualTo(new Rescue(List.of(), Optional.of(Duration.ZERO)));
            });
            assertThat(rescue()).extracting(Rescued::id).containsExactly(lease.id());
        }
    }

    @Nested
    class AClaimWhoseAnswerWasLost {

        private final Registration worker = new Registration(UUID.randomUUID(), "host-7", 1, "1.0", null, null);

        @Test
        void isGivenBackByTheBeatOfItsWorkerWithoutCountingTheAttempt() {
            UUID lost = queue.publish();
            queue.claim(worker.id(), 1);
            queue.claimedEarlierBy("11 seconds");

            assertThat(queue.workers.heartbeat(worker, List.of())).isEmpty();

            assertThat(queue.job(lost)).containsEntry("state", "PENDING").containsEntry("attempt", 0);
        }

        @Test
        void isLeftAloneWhileTheAnswerMayBeOnItsWay() {
            UUID young = queue.publish();
            queue.claim(worker.id(), 1);

            queue.workers.heartbeat(worker, List.of());

            assertThat(queue.stateOf(young)).isEqualTo(JobState.RUNNING);
        }

        @Test
        void doesNotCostAWorkerTheJobsItKnows() {
            queue.publish();
            JobLease known = queue.claim(worker.id(), 1).get(0).lease();
            queue.claimedEarlierBy("1 hour");

            assertThat(queue.workers.heartbeat(worker, List.of(known))).isEmpty();

            assertThat(queue.stateOf(known.id())).isEqualTo(JobState.RUNNING);
        }
    }

    @Nested
    class RescueToDead {

        @Test
        void buriesAJobThatHasNoAttemptLeft() {
            JobLease lease = queue.claimNew("max_attempts => 1");
            queue.silenceWorkers();

            assertThat(rescue()).extracting(Rescued::state).containsExactly(JobState.DEAD);

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job"))
                    .isZero();
            assertThat(queue.deadLetter(lease.id())).containsEntry("reason", "attempt 1 of 1 was lost");
            assertThat(lastError("dead_letter", lease.id())).contains("stopped beating");
        }

        @Test
        void buriesOneThatTimedOutOnItsLastAttempt() {
            JobLease lease = queue.claimNew("max_attempts => 1", "timeout => '1 minute'");
            queue.claimedEarlierBy("61 seconds");

            rescue();

            assertThat(lastError("dead_letter", lease.id())).startsWith("timeout at ");
        }

        @Test
        void cancelsOneThatWasAskedToStop() {
            JobLease lease = queue.claimNew("max_attempts => 1");
            queue.operations.cancel(lease.id());
            queue.silenceWorkers();

            assertThat(rescue()).extracting(Rescued::state).containsExactly(JobState.CANCELLED);
            assertThat(queue.stateOf(lease.id())).isEqualTo(JobState.CANCELLED);
        }
    }

    @Nested
    class CancelWaiting {

        @Test
        void endsAScheduledJobAtOnce() {
            UUID id = queue.publish("run_at => now() + interval '1 hour'");

            assertThat(queue.operations.cancel(id)).isEqualTo(JobState.CANCELLED);
            assertThat(queue.history(id)).containsEntry("state", "CANCELLED").containsEntry("claimed_at", null);
        }

        @Test
        void endsAPendingJobAtOnce() {
            UUID id = queue.publish();

            assertThat(queue.operations.cancel(id)).isEqualTo(JobState.CANCELLED);
            assertThat(queue.stateOf(id)).isEqualTo(JobState.CANCELLED);
            assertThat(queue.claim(UUID.randomUUID(), 1)).isEmpty();
        }

        @Test
        void tellsHowAJobHasEndedAndLeavesItSo() {
            JobLease completed = queue.claimNew();
            queue.settlements.complete(completed, null);
            UUID cancelled = queue.publish();
            queue.operations.cancel(cancelled);
            UUID dead = queue.publishDead("oops");

            assertThat(queue.operations.cancel(completed.id())).isEqualTo(JobState.COMPLETED);
            assertThat(queue.operations.cancel(cancelled)).isEqualTo(JobState.CANCELLED);
            assertThat(queue.operations.cancel(dead)).isEqualTo(JobState.DEAD);
            assertThat(queue.stateOf(dead)).isEqualTo(JobState.DEAD);
        }

        @Test
        void refusesAnIdThatNoJobHas() {
            UUID unknown = UUID.randomUUID();

            queue.refuses(JobNotFoundException.class, () -> queue.operations.cancel(unknown))
                    .hasMessageContaining("id is '" + unknown + "': no job has it")
                    .hasMessageContaining("It was never published, or it ended so long ago that it was pruned.");
        }
    }

    @Nested
    class CancelRunning {

        @Test
        void asksTheWorkerAndWaitsForIt() {
            JobLease lease = queue.claimNew();
            JobLease other = queue.claimNew();

            assertThat(queue.operations.cancel(lease.id())).isEqualTo(JobState.RUNNING);

            assertThat(queue.stateOf(lease.id())).isEqualTo(JobState.RUNNING);
            Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);
            assertThat(queue.workers.heartbeat(node, List.of(lease, other))).containsExactly(new Verdict(lease, true));
        }

        @Test
        void remembersTheFirstTimeItWasAsked() {
            JobLease lease = queue.claimNew();
            queue.operations.cancel(lease.id());
            List<String> before = queue.everyRow();

            assertThat(queue.operations.cancel(lease.id())).isEqualTo(JobState.RUNNING);
            assertThat(queue.everyRow()).isEqualTo(before);
        }

        @Test
        void isConfirmedByTheWorker() {
            JobLease lease = queue.claimNew();
            queue.operations.cancel(lease.id());

            queue.settlements.confirmCancel(lease);

            assertThat(queue.history(lease.id()))
                    .containsEntry("state", "CANCELLED")
                    .containsEntry("attempt", 1);
        }

        @Test
        void refusesAConfirmationByAnybodyElse() {
            JobLease lease = queue.claimNew();
            queue.operations.cancel(lease.id());
            JobLease stale = new JobLease(lease.id(), lease.number() + 1);
            JobLease unknown = new JobLease(UUID.randomUUID(), 1);

            queue.refuses(LeaseLostException.class, () -> queue.settlements.confirmCancel(stale));
            queue.refuses(JobNotFoundException.class, () -> queue.settlements.confirmCancel(unknown));
            queue.settlements.confirmCancel(lease);
            queue.refuses(JobNotFoundException.class, () -> queue.settlements.confirmCancel(lease));
        }
    }

    @Nested
    class Replay {

        @Test
        void givesADeadJobAllItsAttemptsAgainAndKeepsItsPast() {
            UUID id = queue.publishDead("oops", "max_attempts => 2", "priority => 4", "unique_key => 'k'");
            Object created = queue.deadLetter(id).get("created_at");

            queue.operations.replay(id);

            assertThat(queue.job(id))
                    .containsEntry("state", "PENDING")
                    .containsEntry("attempt", 0)
                    .containsEntry("max_attempts", 2)
                    .containsEntry("priority", 4)
                    .containsEntry("unique_key", "k")
                    .containsEntry("created_at", created);
            assertThat(lastError("job", id)).isEqualTo("oops");
            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.dead_letter"))
                    .isZero();
            assertThat(queue.claim().lease().id()).isEqualTo(id);
        }

        @Test
        void refusesWhatIsNotDead() {
            UUID pending = queue.publish("priority => -1");
            JobLease completed = queue.claimNew();
            queue.settlements.complete(completed, null);

            for (UUID id : List.of(pending, completed.id(), UUID.randomUUID())) {
                queue.refuses(JobNotFoundException.class, () -> queue.operations.replay(id))
                        .hasMessageContaining("id is '" + id + "': no dead letter has it");
            }
        }

        @Test
        void refusesOneWhoseUniqueKeyALiveJobHolds() {
            UUID dead = queue.publishDead("oops", "unique_key => 'k'");
            queue.publish("unique_key => 'k'");

            queue.refuses(InvalidJobException.class, () -> queue.operations.replay(dead))
                    .hasMessageContaining("unique key");
        }
    }
}
