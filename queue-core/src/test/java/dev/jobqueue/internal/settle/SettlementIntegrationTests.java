package dev.jobqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failed;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The arrows that a worker follows out of RUNNING. */
class SettlementIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    private static JobLease unknown() {
        return new JobLease(UUID.randomUUID(), 1);
    }

    /** Of a job that runs, under another lease. */
    private static JobLease stale() {
        JobLease lease = queue.claimNew();
        return new JobLease(lease.id(), lease.number() - 1);
    }

    /** Of a job that was given back, and waits. */
    private static JobLease pending() {
        JobLease lease = queue.claimNew();
        queue.settlements.release(List.of(lease));
        return lease;
    }

    @Nested
    class Complete {

        @Test
        void movesTheJobToTheHistory() {
            JobLease lease = queue.claimNew();

            queue.settlements.complete(lease, "{\"sent\": true}");

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job"))
                    .isZero();
            assertThat(queue.history(lease.id()))
                    .containsEntry("state", "COMPLETED")
                    .containsEntry("attempt", 1)
                    .hasEntrySatisfying("result", result -> assertThat(result).hasToString("{\"sent\": true}"));
        }

        @Test
        void completesManyAndNamesThoseItRefused() {
            JobLease one = queue.claimNew();
            JobLease two = queue.claimNew();
            JobLease stale = stale();
            JobLease unknown = unknown();

            List<UUID> refused = queue.settlements.completeAll(List.of(
                    new Completion(one, null),
                    new Completion(stale, "1"),
                    new Completion(two, "2"),
                    new Completion(unknown, null)));

            assertThat(refused).containsExactlyInAnyOrder(stale.id(), unknown.id());
            assertThat(queue.stateOf(one.id())).isEqualTo(JobState.COMPLETED);
            assertThat(queue.history(two.id()).get("result")).hasToString("2");
            assertThat(queue.stateOf(stale.id())).isEqualTo(JobState.RUNNING);
        }

        @Test
        void takesAJobThatIsNamedTwiceOnce() {
            JobLease lease = queue.claimNew();

            List<UUID> refused =
                    queue.settlements.completeAll(List.of(new Completion(lease, "1"), new Completion(lease, "1")));

            assertThat(refused).isEmpty();
            assertThat(queue.list(UUID.class, "SELECT id FROM queue.job_history"))
                    .containsExactly(lease.id());
        }

        @Test
        void completesAJobWhoseCancellationCameTooLate() {
            JobLease lease = queue.claimNew();
            queue.operations.cancel(lease.id());

            queue.settlements.complete(lease, null);

            assertThat(queue.stateOf(lease.id())).isEqualTo(JobState.COMPLETED);
        }

        @Test
        void refusesAnotherLeaseAWaitingJobAndAnUnknownOne() {
            JobLease stale = stale();
            JobLease pending = pending();

            queue.refuses(LeaseLostException.class, () -> queue.settlements.complete(stale, null))
                    .hasMessageContaining("lease is '%d': job '%s' is RUNNING", stale.number(), stale.id());
            queue.refuses(LeaseLostException.class, () -> queue.settlements.complete(pending, null))
                    .hasMessageContaining("is PENDING");
            queue.refuses(JobNotFoundException.class, () -> queue.settlements.complete(unknown(), null))
                    .hasMessageContaining("no live job has it");
        }
    }

    @Nested
    class FailToScheduled {

        @Test
        void comesBackLaterWithTheAttemptCountedAndTheErrorKept() {
            JobLease lease = queue.claimNew();

            assertThat(fail(lease, true)).isEqualTo(JobState.SCHEDULED);

            assertThat(queue.job(lease.id()))
                    .containsEntry("state", "SCHEDULED")
                    .containsEntry("attempt", 1)
                    .containsEntry("lease", null)
                    .containsEntry("worker_id", null)
                    .containsEntry("claimed_at", null);
            assertThat(queue.one(
                            String.class,
                            "SELECT errors -> 0 ->> 'error' FROM queue.live_job WHERE id = ? AND run_at > now()",
                            lease.id()))
                    .isEqualTo("oops");
        }

        @Test
        void refusesAnotherLeaseAWaitingJobAndAnUnknownOne() {
            refusesToFail(true);
        }

        @Test
        void answersForManyInTheOrderGiven() {
            JobLease again = queue.claimNew();
            JobLease stale = stale();
            JobLease dead = queue.claimNew();
            JobLease cancelled = queue.claimNew();
            queue.operations.cancel(cancelled.id());

            List<Failed> outcomes = queue.settlements.failAll(List.of(
                    new Failure(stale, "x", true),
                    new Failure(dead, "x", false),
                    new Failure(again, "x", true),
                    new Failure(again, "named twice", true),
                    new Failure(cancelled, "x", true)));

            Instant dueAt = queue.one(Instant.class, "SELECT run_at FROM queue.live_job WHERE id = ?", again.id());
            assertThat(outcomes)
                    .containsExactly(
                            new Failed(stale.id(), null, null),
                            new Failed(dead.id(), JobState.DEAD, null),
                            new Failed(again.id(), JobState.SCHEDULED, dueAt),
                            new Failed(again.id(), null, null),
                            new Failed(cancelled.id(), JobState.CANCELLED, null));
            assertThat(queue.stateOf(stale.id())).isEqualTo(JobState.RUNNING);
        }
    }

    @Nested
    class FailToDead {

        @Test
        void buriesAJobOutOfAttemptsWithAllThatIsKnownOfIt() {
            UUID id =
                    queue.publish("max_attempts => 1", "priority => 4", "unique_key => 'k'", "headers => '{\"h\": 1}'");
            Map<String, Object> live = queue.job(id);
            JobLease lease = queue.claim().lease();

            assertThat(fail(lease, true)).isEqualTo(JobState.DEAD);

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job"))
                    .isZero();
            Map<String, Object> dead = queue.deadLetter(id);
            assertThat(dead).containsEntry("attempt", 1).containsEntry("reason", "attempt 1 of 1 failed");
            for (String column : List.of(
                    "queue", "type", "priority", "payload", "headers", "max_attempts", "unique_key", "created_at")) {
                assertThat(dead).containsEntry(column, live.get(column));
            }
        }

        @Test
        void buriesAJobAtOnceWhenNoRetryIsWanted() {
            JobLease lease = queue.claimNew("max_attempts => 5");

            assertThat(fail(lease, false)).isEqualTo(JobState.DEAD);

            assertThat(queue.deadLetter(lease.id())).containsEntry("reason", "no retry wanted after attempt 1");
        }

        @Test
        void refusesAnotherLeaseAWaitingJobAndAnUnknownOne() {
            refusesToFail(false);
        }
    }

    private static JobState fail(JobLease lease, boolean retry) {
        return JobState.valueOf(
                queue.one(String.class, "SELECT queue.fail(?, ?, 'oops', ?)", lease.id(), lease.number(), retry));
    }

    private static void refusesToFail(boolean retry) {
        JobLease stale = stale();
        JobLease pending = pending();
        String call = "fail('%s', %d, 'oops', " + retry + ")";

        queue.refuses(LeaseLostException.class, () -> queue.call(call.formatted(stale.id(), stale.number())));
        queue.refuses(LeaseLostException.class, () -> queue.call(call.formatted(pending.id(), pending.number())));
        queue.refuses(JobNotFoundException.class, () -> queue.call(call.formatted(UUID.randomUUID(), 1)));
        for (JobLease lease : List.of(stale, pending, unknown())) {
            List<String> before = queue.everyRow();
            assertThat(queue.settlements.failAll(List.of(new Failure(lease, "oops", retry))))
                    .containsExactly(new Failed(lease.id(), null, null));
            assertThat(queue.everyRow()).isEqualTo(before);
        }
    }

    @Nested
    class Snooze {

        @Test
        void comesBackLaterWithTheAttemptGivenBack() {
            JobLease lease = queue.claimNew();
            Instant before = queue.clock();

            queue.settlements.snooze(lease, Duration.ofHours(2));

            assertThat(queue.job(lease.id()))
                    .containsEntry("state", "SCHEDULED")
                    .containsEntry("attempt", 0)
                    .containsEntry("lease", null);
            assertThat(queue.one(Instant.class, "SELECT run_at FROM queue.live_job"))
                    .isBetween(before.plus(Duration.ofHours(2)), queue.clock().plus(Duration.ofHours(2)));
        }

        @Test
        void cancelsAJobThatWasAskedToStop() {
            JobLease lease = queue.claimNew();
            queue.operations.cancel(lease.id());

            queue.settlements.snooze(lease, Duration.ofHours(2));

            assertThat(queue.stateOf(lease.id())).isEqualTo(JobState.CANCELLED);
        }

        @Test
        void refusesAnotherLeaseAWaitingJobAndAnUnknownOne() {
            JobLease stale = stale();
            JobLease pending = pending();

            queue.refuses(LeaseLostException.class, () -> queue.settlements.snooze(stale, Duration.ZERO));
            queue.refuses(LeaseLostException.class, () -> queue.settlements.snooze(pending, Duration.ZERO));
            queue.refuses(JobNotFoundException.class, () -> queue.settlements.snooze(unknown(), Duration.ZERO));
        }

        @Test
        void refusesADelayBelowZero() {
            JobLease lease = queue.claimNew();

            queue.refuses(InvalidJobException.class, () -> queue.settlements.snooze(lease, Duration.ofMillis(-1)));
        }
    }

    @Nested
    class Release {

        @Test
        void isAsIfTheJobHadNotBeenClaimed() {
            UUID id = queue.publish("timeout => '1 minute'", "max_attempts => 5");
            Map<String, Object> before = queue.job(id);
            JobLease lease = queue.claim().lease();

            assertThat(queue.settlements.release(List.of(lease))).isEmpty();

            assertThat(queue.job(id)).isEqualTo(before);
            assertThat(queue.claim().lease().id()).isEqualTo(id);
        }

        @Test
        void cancelsAJobThatWasAskedToStop() {
            JobLease lease = queue.claimNew();
            queue.operations.cancel(lease.id());

            assertThat(queue.settlements.release(List.of(lease))).isEmpty();

            assertThat(queue.stateOf(lease.id())).isEqualTo(JobState.CANCELLED);
        }

        @Test
        void namesThoseItRefusedAndLeavesThemAlone() {
            JobLease stale = stale();
            JobLease pending = pending();
            JobLease unknown = unknown();
            List<String> before = queue.everyRow();

            assertThat(queue.settlements.release(List.of(stale, pending, unknown)))
                    .containsExactlyInAnyOrder(stale.id(), pending.id(), unknown.id());
            assertThat(queue.everyRow()).isEqualTo(before);
        }

        @Test
        void releasesTheOthersOfABatchThatHasARefusedOne() {
            JobLease stale = stale();
            JobLease mine = queue.claimNew();

            assertThat(queue.settlements.release(List.of(stale, mine))).containsExactly(stale.id());
            assertThat(queue.stateOf(mine.id())).isEqualTo(JobState.PENDING);
        }

        @Test
        void ofAJobThatHadBegunEndsItAfterThreeMoreThanItsAttempts() {
            UUID id = queue.publish("max_attempts => 2");
            for (int time = 1; time <= 4; time++) {
                interrupt();
                assertThat(queue.job(id))
                        .containsEntry("state", "PENDING")
                        .containsEntry("attempt", 0)
                        .containsEntry("spared", time)
                        .containsEntry("errors", null);
            }

            JobLease last = interrupt();

            assertThat(queue.deadLetter(id))
                    .containsEntry("reason", "it was running when its worker stopped, 5 times")
                    .extractingByKey("errors")
                    .asString()
                    .contains("stopped while the attempt ran");
            assertThat(queue.settlements.release(List.of(last))).containsExactly(id);
            queue.operations.replay(id);
            assertThat(queue.job(id)).containsEntry("spared", null);
        }

        @Test
        void ofAJobThatHadNotBegunNeverEndsIt() {
            UUID id = queue.publish("max_attempts => 1");
            for (int time = 0; time < 10; time++) {
                queue.settlements.release(List.of(queue.claim().lease()));
            }
            assertThat(queue.job(id)).containsEntry("state", "PENDING").containsEntry("spared", null);
        }

        @Test
        void ofAJobThatSomebodyCancelledEndsItAsCancelled() {
            UUID id = queue.publish("max_attempts => 1");
            IntStream.range(0, 3).forEach(time -> interrupt());
            JobLease last = queue.claim().lease();
            queue.operations.cancel(id);

            queue.settlements.releaseAll(List.of(new SettleCalls.Release(last, true)));

            assertThat(queue.stateOf(id)).isEqualTo(JobState.CANCELLED);
        }

        private static JobLease interrupt() {
            JobLease lease = queue.claim().lease();
            assertThat(queue.settlements.releaseAll(List.of(new SettleCalls.Release(lease, true))))
                    .isEmpty();
            return lease;
        }
    }
}
