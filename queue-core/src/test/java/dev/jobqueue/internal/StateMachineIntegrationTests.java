package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The arrows up to the claim. */
class StateMachineIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @Nested
    class PublishToPending {

        @Test
        void makesTheJobClaimableAtOnce() {
            UUID id = queue.publish();

            assertThat(queue.job(id))
                    .containsEntry("state", "PENDING")
                    .containsEntry("attempt", 0)
                    .containsEntry("lease", null)
                    .containsEntry("worker_id", null)
                    .containsEntry("claimed_at", null);
            assertThat(queue.claim().lease().id()).isEqualTo(id);
        }

        @Test
        void takesARunAtInThePastForDue() {
            UUID id = queue.publish("run_at => now() - interval '1 day'");

            assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
        }

        @Test
        void refusesAnArgumentThatIsWrong() {
            queue.refuses(InvalidJobException.class, () -> queue.call("publish('', '{}')"));
        }
    }

    @Nested
    class PublishToScheduled {

        @Test
        void keepsTheJobFromBeingClaimedBeforeItsTime() {
            UUID id = queue.publish("run_at => now() + interval '1 hour'");

            assertThat(queue.stateOf(id)).isEqualTo(JobState.SCHEDULED);
            assertThat(queue.claim(UUID.randomUUID(), 10)).isEmpty();
        }

        @Test
        void countsADelayFromTheClockOfTheDatabase() {
            UUID id = UUID.randomUUID();
            NewJob job =
                    NewJobs.with(id, "mail", "{}").delay(Duration.ofMinutes(5)).build();
            queue.publications.publish(List.of(job), false);

            assertThat(queue.one(
                            Boolean.class,
                            "SELECT state = 'SCHEDULED' AND run_at = created_at + interval '5 minutes'"
                                    + " FROM queue.live_job WHERE id = ?",
                            id))
                    .isTrue();
        }

        @Test
        void refusesATimeThatNeverComes() {
            queue.refuses(InvalidJobException.class, () -> queue.call("publish('mail', '{}', run_at => 'infinity')"));
        }
    }

    @Nested
    class Promote {

        @Test
        void makesADueJobPendingAndTellsWhenTheNextIsDue() {
            UUID due = queue.publish("run_at => now() + interval '30 minutes'");
            UUID later = queue.publish("run_at => now() + interval '3 hours'");
            queue.letAnHourPass();

            Optional<Duration> next = queue.upkeep.promote(1000);

            assertThat(queue.stateOf(due)).isEqualTo(JobState.PENDING);
            assertThat(queue.stateOf(later)).isEqualTo(JobState.SCHEDULED);
            assertThat(next.orElseThrow()).isBetween(Duration.ofMinutes(110), Duration.ofHours(2));
            assertThat(queue.claim().lease().id()).isEqualTo(due);
        }

        @Test
        void keepsRunAtAndAttempt() {
            JobLease lease = queue.claimNew();
            queue.settlements.failAll(List.of(new SettleCalls.Failure(lease, "oops", true)));
            queue.letAnHourPass();
            Map<String, Object> before = queue.job(lease.id());

            queue.upkeep.promote(1000);

            before.put("state", "PENDING");
            assertThat(queue.job(lease.id())).isEqualTo(before);
        }

        @Test
        void promotesAtMostSoManyAndAsksToBeCalledAgain() {
            for (int i = 0; i < 3; i++) {
                queue.publish("run_at => now() + interval '1 minute'");
            }
            queue.letAnHourPass();

            assertThat(queue.upkeep.promote(2)).contains(Duration.ZERO);
            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job WHERE state = 'PENDING'"))
                    .isEqualTo(2);
            assertThat(queue.upkeep.promote(2)).isEmpty();
            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job WHERE state = 'PENDING'"))
                    .isEqualTo(3);
        }

        /** Nobody would tell that the lock is gone. */
        @Test
        void asksToBeCalledAgainSoonWhereSomebodyHoldsADueJobLocked() throws SQLException {
            UUID locked = queue.publish("run_at => now() + interval '30 minutes'");
            UUID due = queue.publish("run_at => now() + interval '40 minutes'");
            queue.publish("run_at => now() + interval '3 hours'");
            queue.letAnHourPass();
            try (Connection stranger = queue.database.connect();
                    Statement statement = stranger.createStatement()) {
                stranger.setAutoCommit(false);
                statement.execute("SELECT queue.cancel('%s')".formatted(locked));

                assertThat(queue.upkeep.promote(1000).orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(1));
                assertThat(queue.upkeep.promote(1000).orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(1));
                stranger.rollback();
            }
            assertThat(queue.stateOf(due)).isEqualTo(JobState.PENDING);
            assertThat(queue.upkeep.promote(1000).orElseThrow()).isGreaterThan(Duration.ofHours(1));
            assertThat(queue.stateOf(locked)).isEqualTo(JobState.PENDING);
        }

        @Test
        void leavesWhatIsNotDueOrNotScheduled() {
            queue.publish("run_at => now() + interval '1 hour'");
            queue.claimNew();
            queue.publish();
            List<String> before = queue.everyRow();

            queue.upkeep.promote(1000);

            assertThat(queue.everyRow()).isEqualTo(before);
        }

        @Test
        void refusesToPromoteNone() {
            queue.publish("run_at => now() + interval '1 minute'");
            queue.letAnHourPass();

            queue.refuses(InvalidJobException.class, () -> queue.upkeep.promote(0));
        }
    }

    @Nested
    class ClaimPending {

        @Test
        void handsOutWhatAWorkerNeeds() {
            UUID worker = UUID.randomUUID();
            UUID id = queue.publish(
                    "queue => 'default'", "timeout => '5 minutes'", "max_attempts => 7", "headers => '{\"h\": 1}'");

            ClaimedJob job = queue.claim(worker, 1).get(0);

            assertThat(job.lease().id()).isEqualTo(id);
            assertThat(job.queue()).isEqualTo("default");
            assertThat(job.type()).isEqualTo("mail");
            assertThat(job.payload()).isEqualTo("{\"to\": \"a\"}");
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.maxAttempts()).isEqualTo(7);
            assertThat(job.headers()).isEqualTo("{\"h\": 1}");
            assertThat(job.steps()).isNull();
            assertThat(job.timeoutMillis()).isEqualTo(300_000);
            assertThat(job.runAt()).isEqualTo(job.createdAt());
            assertThat(queue.job(id))
                    .containsEntry("state", "RUNNING")
                    .containsEntry("attempt", 1)
                    .containsEntry("lease", job.lease().number())
                    .containsEntry("worker_id", worker);
            assertThat(queue.one(
                            Boolean.class,
                            "SELECT timeout_at = claimed_at + interval '5 minutes' FROM queue.live_job WHERE id = ?",
                            id))
                    .isTrue();
        }

        @Test
        void drawsANewLeaseEachTimeThatIsHigherThanTheLast() {
            JobLease first = queue.claimNew();
            queue.settlements.release(List.of(first));
            JobLease second = queue.claim().lease();
            JobLease other = queue.claimNew();

            assertThat(second.id()).isEqualTo(first.id());
            assertThat(second.number()).isGreaterThan(first.number());
            assertThat(other.number()).isGreaterThan(second.number());
        }

        @Test
        void givesARunningJobToNobodyElse() {
            queue.claimNew();

            assertThat(queue.claim(UUID.randomUUID(), 10)).isEmpty();
        }

        @Test
        void takesFromSeveralQueuesUpToTheLimitOfEach() {
            for (int i = 0; i < 3; i++) {
                queue.publish("queue => 'a'");
                queue.publish("queue => 'b'");
                queue.publish("queue => 'c'");
            }

            List<ClaimedJob> claimed = queue.claims.claim(UUID.randomUUID(), Map.of("a", 2, "b", 5, "c", 0), null);

            assertThat(claimed).extracting(ClaimedJob::queue).containsExactlyInAnyOrder("a", "a", "b", "b", "b");
        }

        @Test
        void takesOnlyTheTypesAskedFor() {
            queue.call("publish('other', '{}', priority => 10)");
            UUID mail = queue.publish();

            List<ClaimedJob> claimed =
                    queue.claims.claim(UUID.randomUUID(), Map.of("default", 5), List.of("mail", "none"));

            assertThat(claimed).extracting(job -> job.lease().id()).containsExactly(mail);
        }

        @Test
        void takesNothingFromAPausedQueue() {
            queue.publish();
            queue.operations.pause("default");

            assertThat(queue.claim(UUID.randomUUID(), 1)).isEmpty();
        }

        @Test
        void registersAWorkerThatIsNotKnown() {
            UUID worker = UUID.randomUUID();

            queue.claim(worker, 1);

            assertThat(queue.row("SELECT * FROM queue.worker WHERE id = ?", worker))
                    .containsEntry("dead_at", null);
        }

        @Test
        void refusesAWorkerThatWasDeclaredDead() {
            UUID worker = UUID.randomUUID();
            queue.claim(worker, 1);
            queue.publish();
            queue.silenceWorkers();
            queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000);

            queue.refuses(LeaseLostException.class, () -> queue.claim(worker, 1))
                    .hasMessageContaining("'" + worker + "': was declared dead");
        }

        @Test
        void refusesANegativeLimit() {
            queue.publish();

            queue.refuses(InvalidJobException.class, () -> queue.claim(UUID.randomUUID(), -1))
                    .hasMessageContaining("limits is '{-1}': must be 0 or more");
        }
    }
}
