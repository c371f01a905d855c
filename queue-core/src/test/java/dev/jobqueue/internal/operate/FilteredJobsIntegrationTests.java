package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobSummary;
import dev.jobqueue.operate.MatchingJobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What operators do to waiting jobs, one or all that match a filter. */
class FilteredJobsIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    private static final String LATER = "run_at => now() + interval '1 hour'";

    @AfterEach
    void auditAndReset() throws SQLException {
        queue.audit();
        queue.reset();
    }

    private static JobFilter in(JobState state) {
        return JobFilter.of(state);
    }

    private static MatchingJobs all(JobState state) {
        return queue.api.all(in(state));
    }

    private static List<UUID> found(JobFilter filter) {
        return queue.api.find(filter, JobCursor.START, 100).jobs().stream()
                .map(JobSummary::id)
                .toList();
    }

    private static UUID failed(String error) {
        JobLease lease = queue.claimNew();
        queue.settlements.failAll(List.of(new SettleCalls.Failure(lease, error, true)));
        return lease.id();
    }

    @Nested
    class AFilter {

        @Test
        void findsLiveJobsByUniqueKeyWithOrWithoutTheirType() {
            UUID pending = queue.publish("unique_key => 'k'");
            queue.publish("unique_key => 'other'");
            UUID scheduled =
                    queue.one(UUID.class, "SELECT queue.publish('sms', '{}', unique_key => 'k', " + LATER + ")");
            assertThat(found(in(JobState.PENDING).uniqueKey("k"))).containsExactly(pending);
            assertThat(found(in(JobState.PENDING).uniqueKey("k").type("mail"))).containsExactly(pending);
            assertThat(found(in(JobState.PENDING).uniqueKey("k").type("sms"))).isEmpty();
            assertThat(found(in(JobState.SCHEDULED).uniqueKey("k"))).containsExactly(scheduled);
            assertThat(found(in(JobState.PENDING).uniqueKey("k").queue("elsewhere")))
                    .isEmpty();
            queue.claim(UUID.randomUUID(), 5);
            assertThat(found(in(JobState.PENDING).uniqueKey("k"))).isEmpty();
            assertThat(found(in(JobState.RUNNING).uniqueKey("k"))).containsExactly(pending);
        }

        @Test
        void findsEndedJobsByUniqueKey() {
            UUID dead = queue.publishDead("oops", "unique_key => 'k'");
            UUID cancelled = queue.publish("unique_key => 'k'");
            queue.api.cancel(cancelled);
            assertThat(found(in(JobState.DEAD).uniqueKey("k"))).containsExactly(dead);
            assertThat(found(in(JobState.CANCELLED).uniqueKey("k"))).containsExactly(cancelled);
            assertThat(found(in(JobState.CANCELLED).uniqueKey("x"))).isEmpty();
        }

        @Test
        void findsJobsByTheirLastErrorInEveryState() {
            queue.publish("priority => -1", "queue => 'elsewhere'");
            UUID id = failed("connection timed out");
            JobFilter scheduled = in(JobState.SCHEDULED);
            assertThat(found(scheduled.errorLike("%timed out%"))).containsExactly(id);
            assertThat(found(scheduled.errorLike("%refused%"))).isEmpty();
            queue.promoteAll();
            assertThat(found(in(JobState.PENDING).errorLike("connection%"))).containsExactly(id);
            assertThat(found(in(JobState.PENDING))).hasSize(2);
            queue.claim();
            assertThat(found(in(JobState.RUNNING).errorLike("connection%"))).containsExactly(id);
        }

        @Test
        void findsJobsByTheTimeOfTheirState() {
            UUID soon = queue.publish("run_at => now() + interval '10 minutes'");
            UUID late = queue.publish("run_at => now() + interval '10 hours'");
            Instant hour = Instant.now().plus(Duration.ofHours(1));
            assertThat(found(in(JobState.SCHEDULED).before(hour))).containsExactly(soon);
            assertThat(found(in(JobState.SCHEDULED).since(hour).queue("default")))
                    .containsExactly(late);
            assertThat(found(in(JobState.SCHEDULED).since(Instant.now()).before(hour.plus(Duration.ofHours(20)))))
                    .containsExactly(soon, late);
            UUID dead = queue.publishDead("oops");
            assertThat(found(in(JobState.DEAD).since(hour))).isEmpty();
            assertThat(found(in(JobState.DEAD).before(hour))).containsExactly(dead);
        }

        @Test
        void findsFinishedJobsOfTheDaysAskedFor() {
            UUID id = queue.publish();
            queue.api.cancel(id);
            UUID old = queue.publish();
            queue.api.cancel(old);
            // where it lies before all days that have a partition, it is in the default one
            queue.execute("UPDATE queue.job_history SET finished_at = now() - interval '3 days' WHERE id = ?", old);
            Instant yesterday = Instant.now().minus(Duration.ofDays(1));
            assertThat(found(in(JobState.CANCELLED))).containsExactlyInAnyOrder(id, old);
            assertThat(found(in(JobState.CANCELLED).since(yesterday))).containsExactly(id);
            assertThat(found(in(JobState.CANCELLED).before(yesterday))).containsExactly(old);
        }

        @Test
        void countsUpToALimit() {
            queue.list(
                    UUID.class,
                    "SELECT queue.publish_many(NULL, array_fill('mail'::text, ARRAY[10001]),"
                            + " array_fill('{}'::text, ARRAY[10001]))");
            JobCount count = queue.api.count(in(JobState.PENDING));
            assertThat(count).isEqualTo(new JobCount(10_000, true)).hasToString("10,000+");
            assertThat(all(JobState.PENDING).dryRun().cancel()).isEqualTo(count);
            assertThat(queue.api.count(in(JobState.PENDING).type("other"))).isEqualTo(new JobCount(0, false));
            assertThat(all(JobState.PENDING).cancel()).isEqualTo(new JobCount(10_001, false));
        }

        @Test
        void refusesTimesThatTheDatabaseDoesNotKnow() {
            assertThatThrownBy(() -> queue.api.count(in(JobState.DEAD).since(Instant.MIN)))
                    .isInstanceOf(InvalidJobException.class);
            UUID id = queue.publish();
            queue.refuses(InvalidJobException.class, () -> queue.api.reschedule(id, Instant.MAX));
            queue.refuses(InvalidJobException.class, () -> all(JobState.PENDING).reschedule(Instant.MAX));
        }
    }

    @Nested
    class Cancel {

        @Test
        void takesThoseThatMatchAndNoOthers() {
            UUID pending = queue.publish();
            UUID other = queue.publish("queue => 'other'");
            UUID scheduled = queue.publish(LATER);

            assertThat(queue.api.all(in(JobState.PENDING).queue("default")).cancel())
                    .isEqualTo(new JobCount(1, false));
            assertThat(all(JobState.SCHEDULED).cancel().jobs()).isEqualTo(1);

            assertThat(queue.stateOf(pending)).isEqualTo(JobState.CANCELLED);
            assertThat(queue.stateOf(scheduled)).isEqualTo(JobState.CANCELLED);
            assertThat(queue.stateOf(other)).isEqualTo(JobState.PENDING);
        }

        @Test
        void asksTheWorkersOfThoseThatRunAndCountsThemOnce() {
            JobLease lease = queue.claimNew();
            assertThat(all(JobState.RUNNING).dryRun().cancel().jobs()).isEqualTo(1);
            assertThat(all(JobState.RUNNING).cancel().jobs()).isEqualTo(1);
            assertThat(all(JobState.RUNNING).cancel().jobs()).isZero();
            assertThat(queue.api.find(lease.id())).get().matches(job -> job.cancelRequested());
            queue.settlements.confirmCancel(lease);
        }

        @Test
        void changesNothingInADryRun() {
            queue.publishDead("oops");
            queue.publish();
            queue.publish(LATER);
            List<String> before = queue.everyRow();
            Instant hour = Instant.now().plus(Duration.ofHours(1));
            assertThat(List.of(
                            all(JobState.PENDING).dryRun().cancel(),
                            all(JobState.PENDING).dryRun().reprioritise(5),
                            all(JobState.PENDING).dryRun().reschedule(hour),
                            all(JobState.SCHEDULED).dryRun().retry(),
                            all(JobState.DEAD).dryRun().replay(),
                            all(JobState.DEAD).dryRun().purge()))
                    .containsOnly(new JobCount(1, false));
            assertThat(queue.everyRow()).isEqualTo(before);
        }

        @Test
        void takesNoMoreThanTheLimit() {
            for (int i = 0; i < 5; i++) {
                queue.publish();
            }
            assertThat(all(JobState.PENDING).limit(2).cancel()).isEqualTo(new JobCount(2, true));
            assertThat(all(JobState.PENDING).dryRun().limit(2).cancel()).isEqualTo(new JobCount(2, true));
            assertThat(all(JobState.PENDING).limit(10).cancel()).isEqualTo(new JobCount(3, false));
            assertThatThrownBy(() -> all(JobState.PENDING).limit(0)).isInstanceOf(InvalidJobException.class);
        }

        @Test
        void isRefusedForAStateThatHasEnded() {
            queue.publishDead("oops");
            queue.refuses(InvalidJobException.class, () -> all(JobState.DEAD).cancel());
        }
    }

    @Nested
    class Reprioritise {

        @Test
        void movesAPendingJobInTheOrderOfClaims() {
            UUID first = queue.publish();
            UUID second = queue.publish();
            assertThat(queue.api.reprioritise(second, 10)).isEqualTo(JobState.PENDING);
            assertThat(queue.claim().lease().id()).isEqualTo(second);
            assertThat(queue.claim().lease().id()).isEqualTo(first);
        }

        @Test
        void keepsAScheduledJobWaiting() {
            UUID id = queue.publish(LATER);
            assertThat(queue.api.reprioritise(id, -3)).isEqualTo(JobState.SCHEDULED);
            assertThat(queue.job(id)).containsEntry("priority", -3).containsEntry("state", "SCHEDULED");
        }

        @Test
        void leavesARunningJobToItsWorkerAndCountsForItsNextAttempt() {
            JobLease lease = queue.claimNew();
            assertThat(queue.api.reprioritise(lease.id(), 10)).isEqualTo(JobState.RUNNING);
            UUID other = queue.publish("priority => 5");
            queue.settlements.release(List.of(lease));
            assertThat(queue.claim().lease().id()).isEqualTo(lease.id());
            assertThat(queue.claim().lease().id()).isEqualTo(other);
        }

        @Test
        void takesAllThatMatchAndHaveAnotherOne() {
            queue.publish("priority => 7");
            UUID second = queue.publish();
            UUID third = queue.publish("priority => 9");
            assertThat(all(JobState.PENDING).reprioritise(7)).isEqualTo(new JobCount(2, false));
            assertThat(all(JobState.PENDING).reprioritise(7)).isEqualTo(new JobCount(0, false));
            assertThat(queue.job(second)).containsEntry("priority", 7);
            assertThat(queue.job(third)).containsEntry("priority", 7);
        }

        @Test
        void refusesWhatIsNotLive() {
            UUID dead = queue.publishDead("oops");
            queue.refuses(JobNotFoundException.class, () -> queue.api.reprioritise(dead, 1));
            queue.refuses(JobNotFoundException.class, () -> queue.api.reprioritise(UUID.randomUUID(), 1));
        }
    }

    @Nested
    class Reschedule {

        private final Instant tomorrow = Instant.now().plus(Duration.ofDays(1));

        @Test
        void postponesAPendingJob() {
            UUID id = queue.publish();
            assertThat(queue.api.reschedule(id, tomorrow)).isEqualTo(JobState.SCHEDULED);
            assertThat(queue.claim(UUID.randomUUID(), 1)).isEmpty();
            assertThat(queue.api.find(id).orElseThrow().runAt())
                    .isBetween(tomorrow.minusMillis(1), tomorrow.plusMillis(1));
        }

        @Test
        void makesAScheduledJobPendingIfTheTimeIsPast() {
            UUID id = queue.publish(LATER);
            assertThat(queue.api.reschedule(id, Instant.now().minusSeconds(60))).isEqualTo(JobState.PENDING);
            assertThat(queue.claim().lease().id()).isEqualTo(id);
        }

        @Test
        void refusesARunningJobAndWhatIsNotLive() {
            JobLease lease = queue.claimNew();
            queue.refuses(InvalidJobException.class, () -> queue.api.reschedule(lease.id(), tomorrow))
                    .hasMessageContaining("this one is RUNNING");
            queue.refuses(JobNotFoundException.class, () -> queue.api.reschedule(UUID.randomUUID(), tomorrow));
        }

        @Test
        void takesAllThatMatchAndAreDueAtAnotherTime() {
            queue.publish();
            queue.publish();
            queue.publish(LATER);
            assertThat(all(JobState.PENDING).reschedule(tomorrow)).isEqualTo(new JobCount(2, false));
            assertThat(all(JobState.SCHEDULED).reschedule(tomorrow)).isEqualTo(new JobCount(1, false));
            assertThat(all(JobState.SCHEDULED).reschedule(Instant.now().minusSeconds(1)))
                    .isEqualTo(new JobCount(3, false));
            assertThat(all(JobState.PENDING).reschedule(Instant.now().minusSeconds(9)))
                    .isEqualTo(new JobCount(0, false));
            assertThat(queue.claim(UUID.randomUUID(), 5)).hasSize(3);
        }
    }

    @Nested
    class WhileSomebodyElseActs {

        /** Passes over what the other transaction holds, and waits for nobody: a statement may take 30 seconds here. */
        private void whileHeld(String statement, Runnable action) throws SQLException {
            try (Connection other = queue.database.connect();
                    Statement held = other.createStatement()) {
                other.setAutoCommit(false);
                held.execute(statement);
                queue.execute("SET lock_timeout = '2s'");
                action.run();
                other.commit();
            }
        }

        @Test
        void leavesAJobThatIsBeingClaimed() throws SQLException {
            UUID first = queue.publish("priority => 1");
            UUID second = queue.publish();
            whileHeld("SELECT * FROM queue.claim(gen_random_uuid())", () -> {
                assertThat(all(JobState.PENDING).reprioritise(5)).isEqualTo(new JobCount(1, false));
                assertThat(all(JobState.PENDING).cancel()).isEqualTo(new JobCount(1, false));
            });
            assertThat(queue.stateOf(first)).isEqualTo(JobState.RUNNING);
            assertThat(queue.stateOf(second)).isEqualTo(JobState.CANCELLED);
        }

        @Test
        void leavesAJobWhoseRowIsLocked() throws SQLException {
            UUID first = queue.publish(LATER);
            whileHeld(
                    "SELECT FROM queue.job FOR UPDATE",
                    () -> assertThat(all(JobState.SCHEDULED).retry()).isEqualTo(new JobCount(0, false)));
            assertThat(all(JobState.SCHEDULED).retry()).isEqualTo(new JobCount(1, false));
            assertThat(queue.stateOf(first)).isEqualTo(JobState.PENDING);
        }

        @Test
        void leavesADeadLetterThatIsBeingReplayed() throws SQLException {
            UUID dead = queue.publishDead("oops");
            whileHeld("SELECT queue.replay('" + dead + "')", () -> {
                assertThat(all(JobState.DEAD).replay()).isEqualTo(new JobCount(0, false));
                assertThat(all(JobState.DEAD).purge()).isEqualTo(new JobCount(0, false));
            });
            assertThat(queue.stateOf(dead)).isEqualTo(JobState.PENDING);
        }
    }
}
